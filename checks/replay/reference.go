package replay

import (
	"fmt"
	"strings"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

// comparison is what became of the eager steps beside one reference.
type comparison struct {
	against  string // "" is the module's own reference(state, i)
	compared int
	wrong    map[int]bool
	first    *trace.Tensor // of those that are wrong
	any      *trace.Tensor
}

// references fails r where an eager step returned something else than a reference: the module's own reference(state, i),
// another module or commit, or the step itself under a change that must not matter. That needs no graph, so that it
// counts whatever came of the replay. One that was asked for and not compared is an error.
func references(in *dynamic.Input, r *dynamic.Result) {
	all := comparisons(in)
	if len(all) == 0 {
		return
	}
	if r.Check.Metrics == nil {
		r.Check.Metrics = map[string]float64{}
	}
	var compared, equal, missing []string
	wrong, n := map[int]bool{}, 0
	for _, c := range all {
		n += c.compared
		switch {
		case c.compared == 0:
			missing = append(missing, fmt.Sprintf("nothing was compared with %s: %s", c.against, whyNot(in)))
			continue
		case c.first == nil:
			equal = append(equal, c.equal())
			continue
		}
		why := c.differs()
		compared = append(compared, why)
		for i := range c.wrong {
			wrong[i] = true
		}
		place, enters, stack := in.EnterPlace(c.against)
		f := &dynamic.Found{Place: place, Frames: stack, Rule: "GB716", Message: c.message(),
			Evidence: []finding.Evidence{{Kind: finding.EvidenceReplay, Message: why}}}
		if enters != "" {
			f.Evidence = append(f.Evidence, finding.Evidence{Kind: finding.EvidenceReplay, Message: enters})
		}
		r.Findings = append(r.Findings, in.Finding(finding.CheckReplay, f, finding.Error))
	}
	r.Check.Metrics["references"], r.Check.Metrics["wrong_against_reference"] = float64(n), float64(len(wrong))
	switch {
	case len(compared) > 0:
		why := strings.Join(compared, "; and ")
		if r.Check.Status == finding.StatusFail {
			why = r.Check.Reason + "; and " + why
		}
		r.Fail("%s", why)
	case len(missing) > 0 && r.Check.Status != finding.StatusFail:
		r.Check.Status, r.Check.Reason = finding.StatusError, strings.Join(missing, "; ")
	case r.Check.Status == finding.StatusPass:
		r.Check.Reason = strings.Join(equal, "; ")
	}
}

// comparisons are those that the run made or was to make, in the order of the trace.
func comparisons(in *dynamic.Input) []*comparison {
	var all []*comparison
	by := map[string]*comparison{}
	get := func(against string) *comparison {
		c := by[against]
		if c == nil {
			c = &comparison{against: against, wrong: map[int]bool{}}
			by[against] = c
			all = append(all, c)
		}
		return c
	}
	for _, m := range trace.Of[*trace.Measure](in.Trace) {
		if m.Name == dynamic.ReferenceMeasure {
			get(m.Of)
		}
	}
	for _, t := range trace.Of[*trace.Tensor](in.Trace) {
		if t.Role != "reference" || t.Phase != "eager" && t.Phase != "invariance" {
			continue
		}
		c := get(t.Against)
		c.compared++
		if c.any == nil || t.RTol > c.any.RTol {
			c.any = t // the least exact one speaks for all
		}
		if t.Bad != 0 {
			c.wrong[t.I] = true
			if c.first == nil || t.I < c.first.I {
				c.first = t
			}
		}
	}
	return all
}

// whyNot is why there is nothing to compare with.
func whyNot(in *dynamic.Input) string {
	for _, phase := range []string{"reference", "invariance"} {
		for _, p := range trace.Of[*trace.Phase](in.Trace) {
			if p.Name == phase && !in.Finished(phase) {
				return in.Blocked(finding.CheckReplay, phase).Check.Reason
			}
		}
	}
	for _, e := range in.Trace.Errors() {
		return e.Text // the reference could not be loaded
	}
	if len(in.Died) > 0 {
		return in.Died[0].How
	}
	return "no output of the two has the same name"
}

func (c *comparison) name() string {
	if c.against == "" {
		return "reference(state, i) of the step module"
	}
	return c.against
}

// invariant reports whether the reference is the step itself under a change: those are described, the others are names.
func (c *comparison) invariant() bool { return c.any != nil && c.any.Phase == "invariance" }

func (c *comparison) message() string {
	switch {
	case c.against == "":
		return "gives another result than its reference, when run eagerly too"
	case c.invariant():
		return "gives another result with " + c.against
	}
	return "gives another result than " + c.against
}

// equal says of a step that is right what it is equal to, and how exactly.
func (c *comparison) equal() string {
	if c.invariant() {
		return "the same with " + c.against + ", " + c.exactness()
	}
	return "equal to " + c.name() + ", " + c.exactness()
}

func (c *comparison) exactness() string {
	switch {
	case c.any.RTol > 0 || c.any.ATol > 0:
		return fmt.Sprintf("within %.3g relatively and %.3g absolutely", c.any.RTol, c.any.ATol)
	case c.against == "":
		return "within its tolerance"
	}
	return "bit for bit"
}

func (c *comparison) differs() string {
	t := c.first
	s := "step " + ranges(c.wrong) + " returns something else than " + c.name()
	if c.invariant() {
		s = "step " + ranges(c.wrong) + " returns something else with " + c.against
	}
	if c.against != "" {
		s += " (compared " + c.exactness() + ")"
	}
	n := int64(1)
	for _, d := range t.Shape {
		n *= d
	}
	s += fmt.Sprintf("; first in step %d: %s", t.I, t.Name)
	switch {
	case t.DType == "":
		return s + " is missing, wanted " + short(t.Wanted)
	case t.Wanted != "":
		return fmt.Sprintf("%s is %s%v, wanted %s", s, short(t.DType), t.Shape, short(t.Wanted))
	case t.Bad < 0:
		return fmt.Sprintf("%s, some of %d elements", s, n)
	}
	s += fmt.Sprintf(", %d of %d elements, by up to %.3g", t.Bad, n, t.MaxAbs)
	if t.FirstAt != nil {
		s += fmt.Sprintf(", from index %v", t.FirstAt)
	}
	return s
}
