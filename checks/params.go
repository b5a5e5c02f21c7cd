package checks

import (
	"strings"

	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/pyast"
)

// kernelTypes are the usual names of modules whose tensors are not torch's.
var kernelTypes = set("cute cutlass tl gl T wp warp tf jnp jax mx")

// unannotated decides what a parameter without a type is: what its default is, what its name says, and what the
// function does with it.
func (in *interp) unannotated(u *unit, f *Func, p pyast.Param, use *paramUse) *Value {
	if p.Default != nil {
		d := in.atTop(u, p.Default)
		switch d.Kind {
		case KindNumber, KindString:
			if h := hint(p.Name); h.Kind == KindDevice {
				if at, ok := deviceOf(d); ok && at != h.Place { // device="cpu": callers say otherwise, or they do not
					h = h.with(func(c *Value) { c.Sure = Possible })
				}
				return h
			}
			return d.with(func(c *Value) { c.Const = nil })
		case KindDType, KindDevice, KindList, KindTuple:
			return d
		}
	}
	h := hint(p.Name)
	if !h.IsUnknown() || h.Place == PlaceHost && use.tensor[p.Name] == 0 {
		return h
	}
	if use.tensor[p.Name] > 0 && use.other[p.Name] == 0 {
		return flowAt(u, tensor(PlaceDevice, Likely).with(func(c *Value) { c.DType = typeByName(p.Name) }), p, "parameter of a function on the hot path, used as a tensor")
	}
	if use.math[p.Name] > 0 && use.other[p.Name] == 0 && f.Class != nil && f.short == "forward" {
		return flowAt(u, tensor(PlaceDevice, Likely), p, "parameter of forward, used as a tensor")
	}
	return unknown
}

// paramUse counts what a function does with its parameters: things only tensors have, things tensors take part in,
// and things that tensors have not.
//
// host are the ones whose memory NumPy takes over: of a device tensor torch would not have it.
type paramUse struct {
	tensor, math, other map[string]int
	host                map[string]bool
}

func countUses(node *pyast.FuncDef) *paramUse {
	use := &paramUse{tensor: map[string]int{}, math: map[string]int{}, other: map[string]int{}, host: map[string]bool{}}
	bound := map[string]bool{}
	defer func() {
		for name := range bound {
			delete(use.host, name)
		}
	}()
	walkStmts(node.Body, func(n pyast.Node) bool {
		switch n := n.(type) {
		case *pyast.Assign:
			for _, t := range n.Targets {
				if id, ok := t.(*pyast.Name); ok {
					bound[id.ID] = true
				}
			}
		case *pyast.Attr:
			id, ok := n.X.(*pyast.Name)
			switch {
			case !ok:
			case tensorOnly[n.Name] || onlyTensorMethod(n.Name):
				use.tensor[id.ID]++
			case arrayLike[n.Name]:
				use.math[id.ID]++
			case !isTensorMethod(n.Name) && n.Name != "T" && n.Name != "data" && n.Name != "grad":
				use.other[id.ID]++
			}
		case *pyast.Call:
			if a, ok := n.Func.(*pyast.Attr); ok && a.Name == "numpy" && len(n.Args) == 0 {
				if id, ok := a.X.(*pyast.Name); ok {
					use.host[id.ID] = true
				}
			}
			if d, ok := dotted(n.Func); ok {
				if strings.HasPrefix(d, "torch.") || strings.HasPrefix(d, "F.") {
					for _, a := range n.Args {
						if id, ok := a.Value.(*pyast.Name); ok && a.Name == "" {
							use.math[id.ID]++
						}
					}
				}
				if (d == "len" || d == "range" || d == "isinstance") && len(n.Args) > 0 {
					if id, ok := n.Args[0].Value.(*pyast.Name); ok && d == "range" {
						use.other[id.ID]++
					}
				}
			}
		case *pyast.Subscript:
			if id, ok := n.X.(*pyast.Name); ok && len(n.Index) == 1 {
				if c, ok := n.Index[0].(*pyast.Const); ok && c.Kind == pyast.ConstString {
					use.other[id.ID]++
				}
				if c, ok := n.Index[0].(*pyast.Const); ok && c.Kind == pyast.ConstNone {
					use.tensor[id.ID]++
				}
			}
			if id, ok := n.X.(*pyast.Name); ok && len(n.Index) > 1 {
				use.tensor[id.ID]++
			}
		case *pyast.Binary:
			for _, x := range []pyast.Expr{n.L, n.R} {
				if id, ok := x.(*pyast.Name); ok { // sums and products are made of sizes too
					if n.Op == "@" {
						use.tensor[id.ID]++
					}
				}
			}
		}
		return true
	})
	return use
}

// arrayLike are what tensors share with arrays and with nothing else. In the forward of a module that is evidence enough:
// arrays are turned into tensors before it is called.
var arrayLike = set("sum mean max min argmax argmin any all std var prod cumsum abs shape dtype item tolist numel dim")

// onlyTensorMethod reports whether a call of that name is evidence for a tensor: arrays have many of the same methods,
// and the ones that read a value are the ones in question.
func onlyTensorMethod(name string) bool {
	if !isTensorMethod(name) || sharedMethods[name] || len(name) < 4 || name == "cuda" || name == "numpy" {
		return false
	}
	_, shared := torchop.Lookup("numpy.ndarray." + name)
	return !shared
}

// tensorOnly are attributes by which a tensor is known.
var tensorOnly = set("is_cuda ndim device requires_grad mT is_sparse view unsqueeze squeeze permute transpose contiguous " +
	"masked_fill softmax to_dense new_zeros new_empty new_full copy_ fill_ zero_ expand_as view_as data_ptr")
