// Package region reads from the syntax of a function what rules about graphs and streams compare: where it captures, what
// it calls in which order, which blocks run on a stream. It looks at one function and does not follow calls.
package region

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Capture is one graph capture in a function.
type Capture struct {
	Call   *pyast.Call // torch.cuda.graph(…) or g.capture_begin(…)
	Raw    bool        // capture_begin and capture_end instead of the context manager
	Stream pyast.Expr  // that the context manager is given, or nil
	Body   []pyast.Stmt
	Ended  bool // the end is in the same block, so that Body is what is captured
	Around []*pyast.With
}

// Captures lists the captures of the function that is looked at, in source order, without those of functions inside it.
func Captures(p *checks.Pass) []Capture {
	fn, ok := p.Node().(*pyast.FuncDef)
	if !ok {
		return nil
	}
	f := &finder{p: p}
	f.block(fn.Body, nil)
	return f.out
}

type finder struct {
	p   *checks.Pass
	out []Capture
}

func (f *finder) block(body []pyast.Stmt, around []*pyast.With) {
	for i, s := range body {
		if w, ok := s.(*pyast.With); ok {
			f.with(w, around)
			f.block(w.Body, append(around[:len(around):len(around)], w))
			continue
		}
		if x, ok := s.(*pyast.ExprStmt); ok {
			f.raw(x, body[i+1:], around)
		}
		for _, b := range Blocks(s) {
			f.block(b, around)
		}
	}
}

func (f *finder) with(w *pyast.With, around []*pyast.With) {
	for _, it := range w.Items {
		call, ok := it.X.(*pyast.Call)
		if !ok || f.p.Callee(call) != "torch.cuda.graph" {
			continue
		}
		c := Capture{Call: call, Body: w.Body, Ended: true, Around: append(around[:len(around):len(around)], w)}
		c.Stream = Arg(call, 2, "stream")
		f.out = append(f.out, c)
	}
}

func (f *finder) raw(x *pyast.ExprStmt, rest []pyast.Stmt, around []*pyast.With) {
	call, ok := x.X.(*pyast.Call)
	if !ok || !strings.HasSuffix(f.p.Callee(call), ".capture_begin") {
		return
	}
	c := Capture{Call: call, Raw: true, Around: around}
	for i, s := range rest {
		for _, end := range Calls(s) {
			if _, name := Method(end); name == "capture_end" {
				c.Body, c.Ended = rest[:i], true
				f.out = append(f.out, c)
				return
			}
		}
	}
	f.out = append(f.out, c)
}

// Before reports whether n stands before the capture begins.
func (c *Capture) Before(n pyast.Node) bool { return n.Pos().EndOff <= c.Call.Pos().Off }
