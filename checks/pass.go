package checks

import (
	"bytes"
	"slices"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Pass is what a hook sees of the place it looks at, and where it reports.
type Pass struct {
	in   *interp
	fr   *frame
	rule *Rule
}

// Report says that the expression n is a hazard because of v, the value that is read, moved or branched on (nil when
// the hazard needs no value, as torch.cuda.synchronize()). Path, line, function, fingerprint, the hot path, the flow
// of v, guards and suppressions are filled in by the engine. Confidence follows from v: possible when v is a guess or
// may be on the host, else likely. In the message {expr} stands for the source of n in
// backquotes.
func (p *Pass) Report(n pyast.Node, v *Value, message string, opts ...ReportOption) {
	r := report{message: message, confidence: confidenceOf(v), severity: p.rule.Severity, fix: p.rule.Fix}
	for _, o := range opts {
		o(&r)
	}
	p.in.report(p, n, v, r)
}

// ReportOption changes one report.
type ReportOption func(*report)

type report struct {
	message    string
	confidence finding.Confidence
	severity   finding.Severity
	fix        string
}

// WithSeverity reports less or more severely than the rule's default.
func WithSeverity(s finding.Severity) ReportOption { return func(r *report) { r.severity = s } }

// WithConfidence sets the confidence whatever the value says.
func WithConfidence(c finding.Confidence) ReportOption { return func(r *report) { r.confidence = c } }

// AtMost lowers the confidence to what the certainty of one more value allows: an index that is only possibly a mask
// makes the whole finding possible.
func AtMost(v *Value) ReportOption {
	return func(r *report) {
		if confidenceOf(v) == finding.Possible {
			r.confidence = finding.Possible
		}
	}
}

// WithFix replaces the rule's fix for this report.
func WithFix(fix string) ReportOption { return func(r *report) { r.fix = fix } }

func confidenceOf(v *Value) finding.Confidence {
	if v != nil && (v.Kind == KindUnknown || v.Sure == Possible || v.Kind == KindTensor && v.Place == PlaceUnknown) {
		return finding.Possible
	}
	return finding.Likely
}

// Text is the source of n.
func (p *Pass) Text(n pyast.Node) string { return p.fr.u.tree.Text(n) }

// Says reports whether the text of the function that is looked at holds one of the words. Where it holds none a rule that waits
// for them need not walk through the syntax.
func (p *Pass) Says(words ...string) bool {
	n := p.fr.node.Pos()
	from, end := n.Off, n.EndOff
	if f := p.fr.fn; f != nil {
		from, end = min(from, f.from), max(end, f.end) // decorators
	}
	src := p.fr.u.tree.Source
	src = src[min(int(from), len(src)):min(int(end), len(src))]
	return slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(src, []byte(w)) })
}

// Path is the file that is looked at.
func (p *Pass) Path() string { return p.fr.u.mod.path }

// Func is the hot function that is looked at.
func (p *Pass) Func() *Func { return p.fr.fn }

// Node is the syntax of that function: a *pyast.FuncDef, or a *pyast.Lambda.
func (p *Pass) Node() pyast.Node { return p.fr.node }

// Loop is the number of loops around the place, comprehensions included.
func (p *Pass) Loop() int { return p.fr.loop }

// FirstUse reports whether the place runs once, under a test for something that it then makes:
// `if self.buf is None: self.buf = …`.
func (p *Pass) FirstUse() bool { return p.fr.once > 0 }

// Value is what a sub-expression of the current event was taken for, for rules that look one step back
// (`x.cpu().numpy()`: Value of `x`). Nil when it has not been evaluated.
func (p *Pass) Value(e pyast.Expr) *Value { return p.fr.values.get(e) }

// MadeHere reports whether the method call n is on a variable that the function only ever binds to new tensors: nothing
// that was there before the step knows it.
func (p *Pass) MadeHere(n *pyast.Call) bool {
	a, ok := n.Func.(*pyast.Attr)
	if !ok {
		return false
	}
	id, ok := a.X.(*pyast.Name)
	if !ok {
		return false
	}
	fn, ok := p.fr.node.(*pyast.FuncDef)
	if !ok {
		return false
	}
	made, other := false, false
	walkStmts(fn.Body, func(x pyast.Node) bool {
		s, ok := x.(*pyast.Assign)
		if !ok {
			return true
		}
		for _, t := range s.Targets {
			if to, ok := t.(*pyast.Name); ok && to.ID == id.ID {
				call, isCall := s.Value.(*pyast.Call)
				if isCall && factoryNames[last(calledName(call))] {
					made = true
				} else {
					other = true
				}
			}
		}
		return true
	})
	return made && !other && !hasParam(fn.Params, id.ID)
}

func calledName(c *pyast.Call) string {
	if a, ok := c.Func.(*pyast.Attr); ok {
		return a.Name
	}
	name, _ := dotted(c.Func)
	return name
}

var factoryNames = set("empty zeros ones full new_empty new_zeros new_ones new_full empty_like zeros_like ones_like full_like")

// Kernel is the syntax of the kernel that a call like `kernel[grid](…)` launches, if an autotuner measures it, and whether it is
// in the file that is looked at; nil for any other call. Of other kernels a launch tells nothing, so that what they compute can
// change without a second look at who launches them.
func (p *Pass) Kernel(c *Call) (kernel *pyast.FuncDef, here bool) {
	s, ok := c.Node.Func.(*pyast.Subscript)
	if !ok {
		return nil, false
	}
	v := p.Value(s.X)
	if v == nil || v.Kind != KindFunc || v.Func == nil || !v.Func.tuned() || v.lambda() != nil {
		return nil, false
	}
	_, node := p.in.syntax(v.Func)
	return node, v.Func.Path == p.Path()
}

// Raises reports whether every way through body ends in a raise, as in `if bad.any(): raise ValueError`.
func Raises(body []pyast.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	switch s := body[len(body)-1].(type) {
	case *pyast.Raise:
		return true
	case *pyast.If:
		return Raises(s.Body) && Raises(s.Else)
	}
	return false
}

// Breaks reports whether body leaves the loop around it on some path, as in `if err < tol: break`.
func Breaks(body []pyast.Stmt) bool {
	for _, s := range body {
		switch s := s.(type) {
		case *pyast.Jump:
			if s.Keyword == "break" {
				return true
			}
		case *pyast.If:
			if Breaks(s.Body) || Breaks(s.Else) {
				return true
			}
		case *pyast.With:
			if Breaks(s.Body) {
				return true
			}
		case *pyast.Try:
			if Breaks(s.Body) || Breaks(s.Else) {
				return true
			}
		}
	}
	return false
}
