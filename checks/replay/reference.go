package replay

import (
	"fmt"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

// references fails r where an eager step returned something else than the module's reference(state, i). That needs no
// graph, so that it counts whatever came of the replay.
func references(in *dynamic.Input, r *dynamic.Result) {
	wrong, compared := map[int]bool{}, 0
	var first *trace.Tensor
	for _, t := range trace.Of[*trace.Tensor](in.Trace) {
		if t.Role != "reference" || t.Phase != "eager" {
			continue
		}
		compared++
		if t.Bad > 0 {
			wrong[t.I] = true
			if first == nil || t.I < first.I {
				first = t
			}
		}
	}
	if compared == 0 {
		return
	}
	if r.Check.Metrics == nil {
		r.Check.Metrics = map[string]float64{}
	}
	r.Check.Metrics["references"], r.Check.Metrics["wrong_against_reference"] = float64(compared), float64(len(wrong))
	if first == nil {
		return
	}
	n := int64(1)
	for _, d := range first.Shape {
		n *= d
	}
	why := fmt.Sprintf("step %s returns something else than reference(state, i) of the step module; first in step %d: %s, %d of %d elements, by up to %.3g",
		ranges(wrong), first.I, first.Name, first.Bad, n, first.MaxAbs)
	if first.FirstAt != nil {
		why += fmt.Sprintf(", from index %v", first.FirstAt)
	}
	if r.Check.Status == finding.StatusFail {
		why = r.Check.Reason + "; and " + why
	}
	r.Fail("%s", why)
	f := &dynamic.Found{Place: in.StepPlace(), Rule: "GB716", Message: "gives another result than its reference, when run eagerly too",
		Evidence: []finding.Evidence{{Kind: finding.EvidenceReplay, Message: why}}}
	r.Findings = append(r.Findings, in.Finding(finding.CheckReplay, f, finding.Error))
}
