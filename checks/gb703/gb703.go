// Package gb703 is rule GB703, input-rebound: replaces a device tensor of the state instead of refilling it.
package gb703

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB703.
var Rule = &checks.Rule{
	ID: "GB703", Name: "input-rebound", Group: checks.GroupReplay, Severity: finding.Error, Tier: 1, Static: true,
	Title: "replaces a device tensor of the state instead of refilling it",
	Text: "A CUDA graph remembers addresses, not names. When the step gives `self.x` or `state[\"x\"]` a new tensor, the next " +
		"eager step sees it and a replay does not: it goes on reading and writing the tensor that was there at capture. " +
		"Nothing fails, the result is just wrong. Writing the new values into the old tensor keeps both in step.",
	Before: "meta[\"seq_lens\"] = meta[\"seq_lens\"] + 1",
	After:  "meta[\"seq_lens\"].add_(1)",
	Fix:    "write into the tensor that is there: copy_, add_, out=",
	Fine: []string{
		"`self.x.copy_(new)`, `self.x += 1`: the address stays",
		"`self.x = self.x.to(device)`: the same tensor, once it is there",
		"names that hold no tensor before the first step, and local variables",
		"host numbers and CPU tensors in the state",
		"replacing tensors at load time, before a capture",
	},
	Torch: "read from the sources and NVIDIA's guide; the corpus cases were measured to replay wrongly",
	AttrStore: func(p *checks.Pass, s *checks.AttrStore) {
		if s.Op != "" || s.Name == "data" || !s.Value.OnDevice() || kept(p, s.Stmt, s.Node) {
			return
		}
		if p.MadeInStep(s.Recv) {
			return
		}
		rebound(p, s.Node, s.Recv.AtLoad(s.Name), s.Value)
	},
	Store: func(p *checks.Pass, s *checks.Store) {
		if s.Op != "" || len(s.Index) != 1 || s.Base == nil || s.Base.IsTensor() || !s.Value.OnDevice() {
			return
		}
		if key, ok := s.Index[0].Value.Str(); ok && !kept(p, s.Stmt, s.Node) {
			rebound(p, s.Node, s.Base.AtLoad(key), s.Value)
		}
	},
}

// rebound is given a new tensor on the device.
func rebound(p *checks.Pass, at pyast.Node, old, now *checks.Value) {
	if old.OnDevice() && !old.Optional {
		p.Report(at, now, "{expr} gets a new tensor in the step: a graph goes on using the old one", checks.AtMost(old))
	}
}

// kept reports whether the assignment stores the tensor that is there already: self.x = self.x.add_(1), or
// self.x = self.x.to(device), which makes a new one only the first time.
func kept(p *checks.Pass, s pyast.Stmt, target pyast.Expr) bool {
	var from pyast.Expr
	switch s := s.(type) {
	case *pyast.Assign:
		from = s.Value
	case *pyast.AnnAssign:
		from = s.Value
	}
	if from == nil {
		return false
	}
	if call, ok := from.(*pyast.Call); ok {
		if f, ok := call.Func.(*pyast.Attr); ok && p.Text(f.X) == p.Text(target) {
			if conversions[f.Name] {
				return true
			}
		}
	}
	if id, ok := from.(*pyast.Name); ok && converted(p, id.ID, target) {
		return true
	}
	return inPlace(from) || p.Text(from) == p.Text(target) || piece(p, from, p.Text(target), 4)
}

// piece reports whether e is the stored tensor or a slice of it, as in the free list of an allocator:
//
//	free = self.free
//	taken, rest = free[:n], free[n:]
//	self.free = rest
func piece(p *checks.Pass, e pyast.Expr, target string, depth int) bool {
	if depth == 0 {
		return false
	}
	switch e := e.(type) {
	case *pyast.Subscript:
		return piece(p, e.X, target, depth)
	case *pyast.Attr:
		return p.Text(e) == target
	case *pyast.Name:
		bound := bindings(p, e.ID)
		for _, b := range bound {
			if !piece(p, b, target, depth-1) {
				return false
			}
		}
		return len(bound) > 0
	}
	return false
}

// bindings are what the function assigns to a variable.
func bindings(p *checks.Pass, name string) []pyast.Expr {
	fn, ok := p.Node().(*pyast.FuncDef)
	if !ok {
		return nil
	}
	var out []pyast.Expr
	pyast.Walk(fn, func(n pyast.Node) bool {
		a, ok := n.(*pyast.Assign)
		if !ok {
			return true
		}
		for _, t := range a.Targets {
			switch t := t.(type) {
			case *pyast.Name:
				if t.ID == name {
					out = append(out, a.Value)
				}
			case *pyast.Tuple:
				values, paired := a.Value.(*pyast.Tuple)
				for i, x := range t.Elts {
					if id, ok := x.(*pyast.Name); ok && id.ID == name {
						if !paired || len(values.Elts) != len(t.Elts) {
							out = append(out, nil)
							continue
						}
						out = append(out, values.Elts[i])
					}
				}
			}
		}
		return true
	})
	return out
}

// converted reports whether the variable is the stored tensor itself, or that tensor converted once:
//
//	cache = self.cache
//	cache = cache.to(x.device)
//	self.cache = cache
func converted(p *checks.Pass, name string, target pyast.Expr) bool {
	fn, ok := p.Node().(*pyast.FuncDef)
	if !ok {
		return false
	}
	from, other := false, false
	pyast.Walk(fn, func(n pyast.Node) bool {
		a, ok := n.(*pyast.Assign)
		if !ok {
			return true
		}
		for _, t := range a.Targets {
			if id, ok := t.(*pyast.Name); !ok || id.ID != name {
				continue
			}
			switch src := p.Text(conversionOf(a.Value)); src {
			case p.Text(target):
				from = true
			case name:
			default:
				other = true
			}
		}
		return true
	})
	return from && !other
}

// conversionOf is what e converts, or e.
func conversionOf(e pyast.Expr) pyast.Expr {
	if call, ok := e.(*pyast.Call); ok {
		if f, ok := call.Func.(*pyast.Attr); ok && conversions[f.Name] {
			return f.X
		}
	}
	return e
}

var conversions = map[string]bool{"to": true, "cuda": true, "contiguous": true, "type_as": true, "float": true, "half": true,
	"bfloat16": true, "long": true, "int": true, "detach": true}

// inPlace reports whether e is a call of an in-place operation, which returns its receiver.
func inPlace(e pyast.Expr) bool {
	call, ok := e.(*pyast.Call)
	if !ok {
		return false
	}
	for _, a := range call.Args {
		if a.Name == "out" {
			return true
		}
	}
	f, ok := call.Func.(*pyast.Attr)
	return ok && strings.HasSuffix(f.Name, "_") && !strings.HasSuffix(f.Name, "__")
}
