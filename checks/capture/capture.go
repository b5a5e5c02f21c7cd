// Package capture is the capture check: every region of the step can be captured in global mode, and the graph holds
// the work that the region does.
package capture

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

const phase = "capture"

// Check judges the capture phase of all processes of a run: one that fails ends its process, and the next leaves that
// region out.
func Check(in *dynamic.Input) *dynamic.Result {
	r := dynamic.New(finding.CheckCapture)
	regions := map[string]*finding.RegionResult{}
	region := func(name string) *finding.RegionResult {
		if regions[name] == nil {
			regions[name] = &finding.RegionResult{Name: name, Status: finding.StatusNotRun, Metrics: map[string]float64{}}
		}
		return regions[name]
	}
	for _, m := range trace.Of[*trace.Measure](in.Trace) {
		if m.Name == dynamic.RegionMeasure && m.Value > 0 {
			region(m.Of)
		}
	}
	failed := failures(in, r, region)
	if !failed {
		if b := in.Blocked(finding.CheckCapture, phase); b != nil {
			inner(in, b) // a step that hides a failed capture often breaks over it
			return b
		}
	}
	captured(in, r, region)
	inner(in, r)
	conclude(r, regions)
	return r
}

// failures takes each failed capture as a finding at its first error; what follows it is a symptom.
func failures(in *dynamic.Input, r *dynamic.Result, region func(string) *finding.RegionResult) bool {
	var set dynamic.Set
	any := false
	for _, e := range in.Trace.Errors() {
		if e.Code != dynamic.CaptureFailed {
			continue
		}
		any = true
		g := region(e.Of)
		g.Status, g.Reason = finding.StatusFail, e.Text
		f := set.At(in.Place(e.Frames))
		f.Count++
		if f.Rule == "" {
			f.Rule, f.Message = meaning(e)
			f.Frames, f.Region = e.Frames, e.Of
			text := "capture of " + e.Of + " in global mode: " + e.Text
			if e.CUDA != 0 {
				text += fmt.Sprintf(" (CUDA error %d)", e.CUDA)
			}
			f.Evidence = []finding.Evidence{{Kind: finding.EvidenceAPICall, Message: text}}
		}
	}
	for _, f := range set.All() {
		if f.Place.Inner != "" {
			f.Message += ", in " + f.Place.Inner
		}
		r.Findings = append(r.Findings, in.Finding(finding.CheckCapture, f, finding.Error))
	}
	return any
}

// meaning maps the first error of a capture to a rule, for places where the source scan has none.
func meaning(e *trace.Error) (rule, message string) {
	switch e.CUDA {
	case 904:
		return "GB603", "ends the capture while a side stream has not been joined"
	case 905:
		return "GB604", "waits in the capture for work that is not part of it"
	case 906:
		return "GB608", "makes the default stream depend on the capture"
	case 902, 903, 907, 908:
		return "GB809", "does to a capturing stream what a capture does not allow"
	case 901:
		return "GB809", "spoils the capture; the call that did it hid its error"
	case 900:
		return "GB809", "calls what CUDA refuses while a stream is captured"
	}
	return "GB809", "raises while it is captured and not when it runs eagerly"
}

// captured fills the regions that were captured.
func captured(in *dynamic.Input, r *dynamic.Result, region func(string) *finding.RegionResult) {
	work := map[string]int{} // in the graphs of the first step
	counted := map[string]bool{}
	for _, g := range trace.Of[*trace.Graph](in.Trace) {
		x := region(g.Name)
		if x.Status == finding.StatusFail {
			continue
		}
		x.Status = finding.StatusPass
		x.Metrics["graphs"]++
		if g.Device != nil {
			x.Metrics["device"] = float64(*g.Device)
		}
		x.Metrics["capture_us"] += float64(g.DurNS) / 1e3
		if g.Nodes < 0 {
			continue // this torch does not say
		}
		x.Metrics["nodes"] += float64(g.Nodes)
		if g.Step == in.FirstStep() {
			work[g.Name] += g.Kinds["kernel"] + g.Kinds["memcpy"] + g.Kinds["memset"]
			counted[g.Name] = true
		}
		if g.Nodes == 0 {
			x.Status = finding.StatusFail
			x.Reason = "the graph is empty: what the region does went to another stream or device, or was done at warm-up"
			missing(in, r, g.Name, "captures an empty graph: its work goes to another stream or device, or was done at warm-up", finding.Error)
		}
	}
	if slices.Contains(in.Disabled, dynamic.Work) {
		return
	}
	for name, n := range eagerLaunches(in) {
		if !counted[name] {
			continue // an eager one, or one that failed
		}
		x := region(name)
		x.Metrics["eager_launches"] = float64(n)
		if work[name] >= n {
			continue
		}
		x.Reason = fmt.Sprintf("%d launches and copies in the eager step, %d in the graph", n, work[name])
		severity := finding.Warn // the replay check says what comes of it
		if !in.Finished(finding.CheckReplay) {
			severity, x.Status = finding.Error, finding.StatusFail
		}
		missing(in, r, name, "captures less than it does eagerly: "+x.Reason, severity)
	}
}

// missing reports work that did not get into a graph, at the region's definition.
func missing(in *dynamic.Input, r *dynamic.Result, region, message string, severity finding.Severity) {
	f := &dynamic.Found{Place: in.RegionPlace(region), Rule: "GB609", Region: region, Message: message,
		Evidence: []finding.Evidence{{Kind: finding.EvidenceMeasured, Message: message}}}
	r.Findings = append(r.Findings, in.Finding(finding.CheckCapture, f, severity))
}

// eagerLaunches counts what the probe saw each region start in one eager step.
func eagerLaunches(in *dynamic.Input) map[string]int {
	out := map[string]int{}
	if !in.HasProbe() {
		return out
	}
	first := in.FirstStep()
	for _, e := range in.Trace.Events {
		c := e.Base()
		if c.Phase != "sync" || c.Step != first || c.Region == "" || c.Foreign {
			continue
		}
		switch e := e.(type) {
		case *trace.Launch:
			if e.Code == 0 {
				out[c.Region]++
			}
		case *trace.API:
			if e.Code == 0 && (e.Class == trace.ClassCopy || e.Class == trace.ClassSet) {
				out[c.Region]++
			}
		}
	}
	return out
}

// inner reports captures that the step makes itself and whose failure it hides.
func inner(in *dynamic.Input, r *dynamic.Result) {
	var set dynamic.Set
	for _, w := range trace.Of[*trace.Warning](in.Trace) {
		if w.Source != dynamic.InnerCapture {
			continue
		}
		f := set.At(in.Place(w.Frames))
		if f.Count++; f.Count == 1 {
			f.Rule, f.Message, f.Frames, f.Region = "GB712", w.Text, w.Frames, w.Region
			f.Evidence = []finding.Evidence{{Kind: finding.EvidenceAPICall, Message: w.Text}}
		}
	}
	for _, f := range set.All() {
		r.Findings = append(r.Findings, in.Finding(finding.CheckCapture, f, finding.Warn))
	}
}

func conclude(r *dynamic.Result, regions map[string]*finding.RegionResult) {
	var bad, missing []string
	var names []string
	for name := range regions {
		names = append(names, name)
	}
	sort.Strings(names)
	var nodes, graphs float64
	for _, name := range names {
		g := regions[name]
		nodes += g.Metrics["nodes"]
		graphs += g.Metrics["graphs"]
		switch g.Status {
		case finding.StatusFail:
			bad = append(bad, name)
		case finding.StatusNotRun:
			g.Reason = "no step called it after warm-up"
			missing = append(missing, name)
		}
		r.Check.Regions = append(r.Check.Regions, *g)
	}
	m := r.Check.Metrics
	m["regions"], m["graphs"], m["nodes"] = float64(len(names)), graphs, nodes
	switch {
	case len(bad) == 1:
		r.Fail("region %s: %s", bad[0], regions[bad[0]].Reason)
	case len(bad) > 1:
		r.Fail("%d of %d regions cannot be captured: %s", len(bad), len(names), list(bad))
	case len(missing) > 0:
		r.Check.Status = finding.StatusError
		r.Check.Reason = fmt.Sprintf("%s: no step called it after warm-up, so nothing was captured (check step.capture)", list(missing))
	case len(names) == 0:
		r.Check.Status, r.Check.Reason = finding.StatusError, "no region was captured"
	}
}

func list(names []string) string {
	if len(names) > 5 {
		return strings.Join(names[:5], ", ") + fmt.Sprintf(" and %d more", len(names)-5)
	}
	return strings.Join(names, ", ")
}
