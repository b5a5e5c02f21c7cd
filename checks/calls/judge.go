package calls

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

// Scope says what of a run is judged.
type Scope struct {
	Root    string   // of the repository, absolute
	Regions []string // names; empty: everything after the first launch of each process
	// Warmup is how many times a process may go through a region before it counts: what happens then only is start-up
	// (code is loaded, memory is taken) and is reported as info. A process that goes through it no more often is judged
	// all the same.
	Warmup int
}

// Result is what was seen. Findings have neither name nor fix: those are the rules'.
type Result struct {
	Findings []finding.Finding
	Launches int            // kernels launched inside the scope
	Calls    int            // calls inside the scope that are hazards
	Blocked  int64          // host time inside them, ns
	Entered  map[string]int // how often each wanted region was entered
}

// seen is one line's hazard of one rule.
type seen struct {
	kind
	place  place
	region string
	calls  int
	nanos  int64
	names  []string // of the API calls
	sample *trace.API
	broke  string
	other  bool    // made by another thread while the region ran
	steady int     // calls after warm-up
	during []entry // where the others were
}

// Judge goes through a trace.
func Judge(t *trace.Trace, s Scope) *Result {
	j := judge{scope: s, by: map[string]*seen{}, r: &Result{Entered: map[string]int{}}, began: map[proc]bool{},
		entries: map[entry]int{}, pass: map[*trace.API]pass{}}
	j.joiner.Give = j.call
	for _, name := range s.Regions {
		j.r.Entered[name] = 0
	}
	for _, e := range t.Events {
		j.event(e)
	}
	j.joiner.End()
	j.findings()
	return j.r
}

type judge struct {
	scope  Scope
	by     map[string]*seen
	r      *Result
	began  map[proc]bool // processes that have launched a kernel
	joiner Joiner
	// entries counts how often each process entered a wanted region; pass remembers for a call which of them it is in.
	entries map[entry]int
	pass    map[*trace.API]pass
}

type entry struct {
	rank, pid int
	region    string
}

type pass struct {
	entry entry
	n     int
}

func (j *judge) event(e trace.Event) {
	c := e.Base()
	switch e := e.(type) {
	case *trace.Region:
		if _, wanted := j.r.Entered[e.Name]; wanted && e.At == trace.Enter && !e.Resumed {
			j.r.Entered[e.Name]++
			j.entries[entry{c.Rank, c.PID, e.Name}]++
		}
	case *trace.Launch:
		j.began[proc{rank: c.Rank, pid: c.PID}] = true
		if j.inside(c) {
			j.r.Launches++
		}
	case *trace.API:
		if j.inside(c) {
			j.enter(e)
			j.joiner.Add(e)
		}
	}
}

// enter notes in which pass through its region a call is.
func (j *judge) enter(a *trace.API) {
	for _, name := range j.scope.Regions {
		if a.In(name) {
			e := entry{a.Rank, a.PID, name}
			j.pass[a] = pass{e, j.entries[e]}
			return
		}
	}
}

func (j *judge) inside(c *trace.Common) bool {
	if len(j.scope.Regions) > 0 {
		return slices.ContainsFunc(j.scope.Regions, func(name string) bool { return c.In(name) })
	}
	return j.began[proc{rank: c.Rank, pid: c.PID}]
}

func (j *judge) call(a, wait *trace.API) {
	k, ok := classify(a, wait)
	if !ok {
		return
	}
	p := placeOf(j.scope.Root, below(a.Frames, a.Region), a.Native)
	function := p.function
	if p.line > 0 {
		function = "" // the line says it
	}
	key := fmt.Sprintf("%s\x00%s\x00%d\x00%s\x00%s\x00%s\x00%t", k.rule, p.path, p.line, p.inner, function, a.Region, a.Foreign)
	s := j.by[key]
	if s == nil {
		s = &seen{kind: k, place: p, region: a.Region, sample: a, other: a.Foreign}
		j.by[key] = s
	}
	s.calls++
	for _, c := range []*trace.API{a, wait} {
		if c == nil {
			continue
		}
		s.nanos += c.Dur
		if s.broke == "" {
			s.broke = captured(c.Code)
		}
		if !slices.Contains(s.names, c.Name) {
			s.names = append(s.names, c.Name)
		}
	}
	if p, ok := j.pass[a]; !ok || p.n > j.scope.Warmup {
		s.steady++
	} else {
		s.during = append(s.during, p.entry)
	}
	j.r.Calls++
	j.r.Blocked += a.Dur
	if wait != nil {
		j.r.Blocked += wait.Dur
	}
}

func (j *judge) findings() {
	for _, s := range j.by {
		j.r.Findings = append(j.r.Findings, j.finding(s))
	}
	finding.Sort(j.r.Findings)
	slices.SortStableFunc(j.r.Findings, func(a, b finding.Finding) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Region, b.Region),
			cmp.Compare(a.Function, b.Function))
	})
	ordinal := map[string]int{}
	for i := range j.r.Findings {
		f := &j.r.Findings[i]
		tokens := []string{f.Evidence[0].Code}
		key := strings.Join([]string{f.Rule, f.Path, f.Function, tokens[0]}, "\x00")
		f.Fingerprint = finding.Fingerprint(f.Rule, f.Path, f.Function, tokens, ordinal[key])
		f.MoveKey = finding.MoveKey(f.Rule, tokens)
		ordinal[key]++
	}
}

func (j *judge) finding(s *seen) finding.Finding {
	names := strings.Join(s.names, ", ")
	cost := fmt.Sprintf("%d× %s, %.1f µs of host time", s.calls, names, float64(s.nanos)/1e3)
	if n := j.r.Entered[s.region]; n > 1 {
		cost += fmt.Sprintf(", %.1f µs each of %d times", float64(s.nanos)/1e3/float64(n), n)
	}
	f := finding.Finding{Rule: s.rule, Severity: s.severity, Check: finding.CheckSync, Path: s.place.path, Line: s.place.line,
		EndLine: s.place.line, Function: s.place.function, Region: s.region, Message: s.what, Confidence: finding.Proven}
	if s.place.line > 0 {
		f.Column, f.EndColumn = 1, 1
	}
	if s.place.line == 0 && s.place.function != "" {
		f.Message += ", in " + s.place.function
	}
	if s.place.inner != "" {
		f.Message += ", in " + s.place.inner
	}
	if s.broke != "" {
		f.Message += "; " + s.broke
		f.Severity = finding.Error
	}
	switch {
	case s.broke != "":
	case s.steady == 0 && j.startup(s.during):
		f.Message += ", in the first run only (warm-up)"
		f.Severity = finding.Info
	case len(j.scope.Regions) == 0 && s.calls == 1 && once[s.rule]:
		f.Message += ", once"
		f.Severity = finding.Info
	}
	if s.other && f.Severity != finding.Info {
		f.Message += ", on another thread while the region runs"
		f.Severity = finding.Warn
	}
	f.Message += fmt.Sprintf(" (%d×, the host spent %.1f µs)", s.calls, float64(s.nanos)/1e3)
	n := float64(max(j.r.Entered[s.region], 1))
	f.Cost = &finding.Cost{Calls: float64(s.calls) / n, Blocked: float64(s.nanos) / 1e3 / n}
	f.Evidence = []finding.Evidence{
		{Kind: finding.EvidenceAPICall, Message: cost, Code: names},
		{Kind: finding.EvidenceStack, Frames: stack(j.scope.Root, s.sample.Frames, s.sample.Native)},
	}
	return f
}

// once are what start-up does too, so that in a run without regions one call of a line says nothing.
var once = map[string]bool{"GB301": true, "GB303": true, "GB902": true, "GB804": true}

// startup reports whether every process that made a call during warm-up went on to run the region without it.
func (j *judge) startup(during []entry) bool {
	return !slices.ContainsFunc(during, func(e entry) bool { return j.entries[e] <= j.scope.Warmup })
}
