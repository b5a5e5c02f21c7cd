// Package replay is the replay check: a replayed step gives what the eager step gives, bit for bit, in every step, from
// the same start state and with host numbers and inputs that change.
package replay

import (
	"fmt"
	"strings"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

const phase = "replay"

type key struct {
	i    int
	name string
}

// Check compares the outputs of the replay phase with those of the eager one, and those with what the step module
// declares them to be, where it does: both can be wrong in the same way.
func Check(in *dynamic.Input) *dynamic.Result {
	r := compare(in)
	references(in, r)
	return r
}

func compare(in *dynamic.Input) *dynamic.Result {
	if r := in.Blocked(finding.CheckReplay, phase); r != nil {
		return r
	}
	r := dynamic.New(finding.CheckReplay)
	eager, again, replayed := outputs(in, "eager"), outputs(in, "sync"), outputs(in, phase)
	steps := map[int]bool{}
	wrong := map[int]bool{}
	var first *trace.Tensor
	for k, want := range eager {
		if other := again[k]; other != nil && other.Digest != want.Digest {
			r.Check.Status = finding.StatusError
			r.Check.Reason = fmt.Sprintf("two eager runs from one seed differ (%s of step %d), so that a comparison bit for bit says nothing: "+
				"seed what is random, and use deterministic kernels", k.name, k.i)
			return r
		}
	}
	compared := 0
	for k, got := range replayed {
		want := eager[k]
		steps[k.i] = true
		compared++
		if want == nil || !same(want, got) {
			wrong[k.i] = true
			if first == nil || got.I < first.I || got.I == first.I && got.Name < first.Name {
				first = got
			}
		}
	}
	m := r.Check.Metrics
	m["steps"], m["outputs"], m["wrong_steps"] = float64(len(steps)), float64(compared), float64(len(wrong))
	switch {
	case compared == 0:
		r.Check.Status, r.Check.Reason = finding.StatusError, "no output of a replayed step was compared"
	case len(wrong) > 0:
		diff := describe(first, eager[key{first.I, first.Name}], wrong)
		r.Fail("%s", diff)
		r.Findings = findings(in, diff)
	}
	return r
}

// outputs are the tensors that the steps of a phase returned.
func outputs(in *dynamic.Input, in1 string) map[key]*trace.Tensor {
	out := map[key]*trace.Tensor{}
	for _, t := range trace.Of[*trace.Tensor](in.Trace) {
		if t.Role == "output" && t.Phase == in1 {
			out[key{t.I, t.Name}] = t
		}
	}
	return out
}

func same(a, b *trace.Tensor) bool {
	if a.Digest != b.Digest || a.DType != b.DType || len(a.Shape) != len(b.Shape) {
		return false
	}
	for i := range a.Shape {
		if a.Shape[i] != b.Shape[i] {
			return false
		}
	}
	return true
}

func describe(got, want *trace.Tensor, wrong map[int]bool) string {
	s := fmt.Sprintf("replay differs from eager in step %s; first in step %d: %s", ranges(wrong), got.I, got.Name)
	switch {
	case want == nil:
		return s + " is not among the eager outputs"
	case fmt.Sprint(want.Shape) != fmt.Sprint(got.Shape) || want.DType != got.DType:
		return fmt.Sprintf("%s is %s%v, eager %s%v", s, short(got.DType), got.Shape, short(want.DType), want.Shape)
	case got.Bad > 0:
		n := int64(1)
		for _, d := range got.Shape {
			n *= d
		}
		return fmt.Sprintf("%s, %d of %d elements, by up to %.3g, from index %v", s, got.Bad, n, got.MaxAbs, got.FirstAt)
	}
	return s
}

func short(dtype string) string { return strings.TrimPrefix(dtype, "torch.") }

// ranges writes step numbers as 4-7,12.
func ranges(steps map[int]bool) string {
	lo, hi := -1, -1
	for i := range steps {
		if lo < 0 || i < lo {
			lo = i
		}
		hi = max(hi, i)
	}
	var parts []string
	for i := lo; i <= hi; i++ {
		if !steps[i] {
			continue
		}
		j := i
		for steps[j+1] {
			j++
		}
		if j > i {
			parts = append(parts, fmt.Sprintf("%d-%d", i, j))
		} else {
			parts = append(parts, fmt.Sprint(i))
		}
		i = j
	}
	if len(parts) > 8 {
		return strings.Join(parts[:8], ",") + ",…"
	}
	return strings.Join(parts, ",")
}
