package region

import (
	"slices"
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Side is a block that runs on a side stream: `with torch.cuda.stream(s):`.
type Side struct {
	With   *pyast.With
	Item   pyast.Expr // torch.cuda.stream(s)
	Stream pyast.Expr // s
	Name   string     // the last name of s
	Names  []string   // that and the last names of what the function assigns to it
	Value  *checks.Value
}

// Sides lists the blocks of the function on a stream of its own that do work for the device: a tensor is made or
// changed there, or code of the project runs.
func Sides(p *checks.Pass) []Side {
	fn, ok := p.Node().(*pyast.FuncDef)
	if !ok {
		return nil
	}
	var out []Side
	Walk(fn, func(n pyast.Node) {
		w, ok := n.(*pyast.With)
		if !ok {
			return
		}
		for _, it := range w.Items {
			call, ok := it.X.(*pyast.Call)
			if !ok || p.Callee(call) != "torch.cuda.stream" || len(call.Args) != 1 {
				continue
			}
			s := Side{With: w, Item: it.X, Stream: call.Args[0].Value, Name: Last(call.Args[0].Value)}
			s.Names = append(aliases(fn, s.Name), s.Name)
			if s.Value = p.Value(s.Stream); s.side() && works(p, w.Body) {
				out = append(out, s)
			}
		}
	})
	return out
}

// aliases are the names of attributes that the function calls by this name: `stream = self.gate_stream`.
func aliases(fn *pyast.FuncDef, name string) []string {
	var out []string
	Walk(fn, func(n pyast.Node) {
		a, ok := n.(*pyast.Assign)
		if !ok || len(a.Targets) != 1 {
			return
		}
		if t, ok := a.Targets[0].(*pyast.Name); ok && t.ID == name && Last(a.Value) != "" {
			out = append(out, Last(a.Value))
		}
	})
	return out
}

// side reports whether the stream is one of its own, known by a name.
func (s *Side) side() bool {
	if s.Name == "" || s.Value == nil || s.Value.Kind != checks.KindStream || strings.Contains(s.Name, "current") ||
		strings.Contains(s.Name, "default") || strings.Contains(s.Name, "main") {
		return false
	}
	switch s.Value.Name {
	case "torch.cuda.current_stream", "torch.cuda.default_stream":
		return false
	}
	return true
}

func works(p *checks.Pass, body []pyast.Stmt) bool {
	busy := false
	for _, s := range body {
		Walk(s, func(n pyast.Node) {
			switch n := n.(type) {
			case *pyast.Call:
				busy = busy || p.Value(n).OnDevice() || p.Callee(n) == "user"
			case *pyast.Binary:
				busy = busy || p.Value(n).OnDevice()
			}
		})
	}
	return busy
}

// Waits reports whether the file lets the stream wait for something: s.wait_stream(…), s.wait_event(…), e.wait(s).
func (s *Side) Waits(file string) bool {
	return slices.ContainsFunc(s.Names, func(n string) bool { return waits(file, n) })
}

// Awaited reports whether the file lets something wait for the stream, through the stream or an event of it.
func (s *Side) Awaited(file string) bool {
	return slices.ContainsFunc(s.Names, func(n string) bool { return awaited(file, n) })
}

func waits(file, stream string) bool {
	return strings.Contains(file, stream+".wait_stream(") || strings.Contains(file, stream+".wait_event(") ||
		strings.Contains(file, ".wait("+stream+")") || strings.Contains(file, ".wait(self."+stream+")")
}

func awaited(file, stream string) bool {
	for _, s := range []string{"wait_stream(" + stream + ")", "." + stream + ")", stream + ".synchronize()", stream + ".record_event("} {
		if s[0] == '.' {
			for _, l := range strings.Split(file, "\n") {
				if strings.Contains(l, "wait_stream(") && strings.Contains(l, s) {
					return true
				}
			}
			continue
		}
		if strings.Contains(file, s) {
			return true
		}
	}
	return false
}
