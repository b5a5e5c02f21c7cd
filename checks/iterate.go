package checks

import (
	"github.com/gatebot/gatebot/internal/pyast"
)

// iterating handles the builtins that go through their argument.
func (fr *frame) iterating(name string, c *Call, arg *Value) *Value {
	full := "builtins." + name
	n, _ := c.Positional()
	if (name == "min" || name == "max") && n > 1 {
		return fr.extreme(c)
	}
	var items []*Value
	for _, a := range c.Args {
		if a.Name != "" {
			continue
		}
		fr.iterateCall(a, full)
		items = append(items, fr.iterated(a.Value, a.Node))
		if name != "zip" {
			break
		}
	}
	if len(items) == 0 {
		return list(nil)
	}
	elem := items[0]
	if name == "sorted" || name == "min" || name == "max" {
		fr.keyFunction(c, elem)
	}
	switch name {
	case "enumerate":
		return list(tuple(hostInt, elem))
	case "zip":
		return list(tuple(items...))
	case "next":
		return elem
	case "any", "all":
		fr.truth(c.Node, elem, TruthBuiltin, nil)
		return boolean
	case "min", "max":
		if elem.Kind == KindTensor {
			fr.truth(c.Node, elem, TruthBuiltin, nil)
		}
		if elem.HostData() {
			return elem.with(func(v *Value) { v.Const = nil })
		}
		return elem
	case "sorted":
		if elem.Kind == KindTensor && !c.Has("key") {
			fr.truth(c.Node, elem, TruthBuiltin, nil)
		}
	case "sum":
		return elem
	case "iter", "reversed":
		return list(elem)
	case "list", "tuple":
		if arg.IsSequence() && arg.Kind != KindShape && arg.Elem == nil {
			k := KindList
			if name == "tuple" {
				k = KindTuple
			}
			return arg.with(func(v *Value) { v.Kind = k })
		}
	}
	return list(elem)
}

// extreme is min(a, b, …) and max(a, b, …): they compare, and the comparison of tensors is truth-tested.
func (fr *frame) extreme(c *Call) *Value {
	var out *Value
	for _, a := range c.Args {
		if a.Name != "" {
			continue
		}
		if a.Star == 1 {
			out = join(out, fr.iterated(a.Value, a.Node))
			continue
		}
		out = join(out, a.Value)
		if a.Value.Kind == KindTensor {
			fr.truth(c.Node, a.Value, TruthBuiltin, nil)
			return a.Value
		}
	}
	if out.Kind == KindNumber {
		return number.with(func(v *Value) { v.DType = out.DType })
	}
	return out
}

func (fr *frame) newDict(c *Call, arg *Value) *Value {
	o := fr.objectAt(c.Node)
	v := &Value{Kind: KindDict, Rank: -1, Sure: Likely, Obj: o}
	if arg.Obj != nil {
		for k, held := range arg.Obj.all() {
			o.set(k, held)
		}
		o.elem = join(o.elem, arg.Obj.elem)
	} else if e := arg.Element(); e != nil && e.Kind == KindTuple && len(e.Items) == 2 {
		o.elem = join(o.elem, e.Items[1])
	}
	for _, a := range c.Args {
		if a.Name != "" {
			o.set(a.Name, a.Value)
		}
	}
	return v
}

// iterated is what going through v gives: rows of a tensor, elements of a list, keys of a dict.
func (fr *frame) iterated(v *Value, _ pyast.Expr) *Value {
	switch v.Kind {
	case KindTensor:
		return v.with(func(c *Value) {
			c.Rank = max(v.Rank-1, -1)
			c.Optional = false
		})
	case KindArray:
		if v.Rank == 1 {
			return number
		}
		return array.with(func(c *Value) { c.Rank = max(v.Rank-1, -1) })
	case KindList, KindTuple, KindShape:
		if e := v.Element(); e != nil {
			return e
		}
		if v.Place == PlaceHost {
			return hostUnknown
		}
		return unknown
	case KindDict:
		return text
	case KindString:
		return text
	case KindInstance:
		if it := fr.protocol(v, nil, "__iter__"); it != nil {
			return fr.iterated(it, nil)
		}
		if item := fr.protocol(v, []Arg{{Value: hostInt}}, "__getitem__"); item != nil {
			return item
		}
	}
	if v.Place == PlaceHost {
		return hostUnknown
	}
	return unknown
}
