// Package gb701 is rule GB701, python-scalar-baked: a number that changes per step becomes an argument of device work.
package gb701

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/perstep"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB701.
var Rule = &checks.Rule{
	ID: "GB701", Name: "python-scalar-baked", Group: checks.GroupReplay, Severity: finding.Error, Tier: 1, Static: true,
	Title: "gives device work a Python number that changes in every step",
	Text: "A CUDA graph stores the arguments of each kernel as they were at capture. A Python number such as the step or the " +
		"position is copied into that list: every replay computes with the number of the step that was recorded. Nothing fails; " +
		"positions stand still, rotations repeat, a schedule stays at its first value. A tensor on the device is read anew at " +
		"each replay, so that a number in a tensor can change.",
	Before: "angles = self.freqs * pos  # pos is an int that grows",
	After:  "angles = self.freqs * self.pos_buf  # a device tensor, filled before each replay",
	Fix:    "keep the number in a device tensor that is filled before each replay (pos_buf.fill_(pos)), and compute with that",
	Fine: []string{
		"constants and numbers of the configuration",
		"shapes and batch sizes: one graph is recorded for each",
		"branching on the number on the host: the scheduler picks the graph by it",
		"filling the buffer, `self.pos_buf.fill_(pos)`, outside the graph",
	},
	Torch:    "independent of the version; the corpus cases were measured to replay wrongly",
	Mentions: perstep.Names(),
	Done: func(p *checks.Pass) {
		numbers := perstep.In(p)
		if !numbers.Any() {
			return
		}
		region.Walk(p.Node(), func(n pyast.Node) {
			switch n := n.(type) {
			case *pyast.Binary:
				arithmetic(p, numbers, n)
			case *pyast.Call:
				call(p, numbers, n)
			}
		})
	},
}

func arithmetic(p *checks.Pass, numbers *perstep.Numbers, b *pyast.Binary) {
	for _, side := range [][2]pyast.Expr{{b.L, b.R}, {b.R, b.L}} {
		if t := p.Value(side[0]); t.OnDevice() {
			if name, ok := numbers.Varies(side[1]); ok {
				p.Report(b, t, "{expr} puts the number `"+name+"`, which changes in every step, into the work of the graph")
			}
		}
	}
}

// call looks at operations on a device tensor, and at launches of kernels.
func call(p *checks.Pass, numbers *perstep.Numbers, c *pyast.Call) {
	_, launch := c.Func.(*pyast.Subscript)
	if launch {
		v := p.Value(c.Func.(*pyast.Subscript).X)
		launch = v != nil && v.Kind == checks.KindFunc
	}
	callee := p.Callee(c)
	if !launch && (!strings.HasPrefix(callee, "Tensor.") || !arithmeticOps[strings.TrimSuffix(callee[7:], "_")]) &&
		(!strings.HasPrefix(callee, "torch.") || !arithmeticOps[callee[6:]]) {
		return
	}
	subject := p.Value(c)
	if f, ok := c.Func.(*pyast.Attr); ok && strings.HasPrefix(callee, "Tensor.") {
		subject = p.Value(f.X)
	}
	if !launch && !subject.OnDevice() {
		return
	}
	for _, a := range c.Args {
		if name, ok := numbers.Varies(a.Value); ok {
			if launch {
				subject = nil
			}
			p.Report(c, subject, "{expr} gets `"+name+"`, which changes in every step: a graph keeps the first one")
			return
		}
	}
}

// arithmeticOps take a number as a value to compute with. Numbers that are sizes change the shape, which is another
// hazard, and fill_ is how a number gets into a buffer.
var arithmeticOps = map[string]bool{"add": true, "sub": true, "mul": true, "div": true, "pow": true, "remainder": true, "fmod": true,
	"clamp": true, "clamp_min": true, "clamp_max": true, "eq": true, "ne": true, "lt": true, "le": true, "gt": true, "ge": true,
	"lerp": true, "addcmul": true, "addcdiv": true, "maximum": true, "minimum": true}
