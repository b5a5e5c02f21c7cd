package replay

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gatebot/gatebot/checks/drift"
	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

// findings names what can have made a replay go wrong: code that asks whether it is captured, state that moves from step
// to step, and operations whose shapes or numbers change. With none of these it is said of the step as a whole.
func findings(in *dynamic.Input, diff string) []finding.Finding {
	var set dynamic.Set
	suspect := func(frames []trace.Frame, rule, message, region string) {
		f := set.At(in.Place(frames))
		if f.Count++; f.Count == 1 {
			f.Rule, f.Message, f.Frames, f.Region = rule, message, frames, region
		}
	}
	for _, w := range trace.Of[*trace.Warning](in.Trace) {
		if w.Source == dynamic.CaptureQuery && in.Place(w.Frames).Path != "" {
			suspect(w.Frames, "GB712", "asks whether it is being captured and then computes something else", w.Region)
		}
	}
	for _, m := range moved(in) {
		suspect(m.frames, "GB703", fmt.Sprintf("%s gets other memory in each step: the graph reads the old one", m.name), "")
	}
	if len(set.All()) == 0 {
		for _, d := range drift.Differences(in) {
			rule := "GB702"
			if d.Numbers {
				rule = "GB701"
			}
			suspect(d.Frames, rule, d.Text+": the graph keeps those of the step that was captured", d.Region)
		}
	}
	if len(set.All()) == 0 {
		for _, w := range trace.Of[*trace.Warning](in.Trace) {
			if w.Source == dynamic.Definition {
				suspect(w.Frames, "GB716", "gives another result when replayed", "")
				break
			}
		}
	}
	all := set.All()
	var out []finding.Finding
	for _, f := range all {
		f.Evidence = []finding.Evidence{{Kind: finding.EvidenceReplay, Message: diff}}
		x := in.Finding(finding.CheckReplay, f, finding.Error)
		if len(all) > 1 {
			x.Confidence = finding.Likely // which of them it was is not shown
		}
		out = append(out, x)
	}
	return out
}

type movement struct {
	name   string
	frames []trace.Frame
}

// moved are tensors of the state that lie elsewhere after a step, with the stack that allocated the new memory.
func moved(in *dynamic.Input) []movement {
	allocs := trace.Of[*trace.Alloc](in.Trace)
	var out []movement
	for _, t := range trace.Of[*trace.Tensor](in.Trace) {
		if t.Role != "state" || t.Phase != "alloc" {
			continue
		}
		ptr, ok := address(t.Ptr)
		if !ok {
			continue
		}
		for _, a := range allocs {
			base, ok := address(a.Ptr)
			if ok && a.Op == "alloc" && a.Step == t.I && len(a.Frames) > 0 && ptr >= base && ptr < base+uint64(max(a.Bytes, 1)) {
				out = append(out, movement{t.Name, a.Frames})
			}
		}
	}
	return out
}

func address(s string) (uint64, bool) {
	n, err := strconv.ParseUint(strings.TrimPrefix(s, "0x"), 16, 64)
	return n, err == nil
}
