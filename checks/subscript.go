package checks

import (
	"strings"

	"github.com/gatebot/gatebot/internal/pyast"
)

func (fr *frame) slice(e *pyast.Slice) *Value {
	part := func(x pyast.Expr) *Value {
		if x == nil {
			return none
		}
		return fr.eval(x)
	}
	return &Value{Kind: KindSlice, Rank: -1, Sure: Likely, Items: []*Value{part(e.Lo), part(e.Hi), part(e.Step)}}
}

// indices evaluates what stands in the brackets.
func (fr *frame) indices(e *pyast.Subscript) []Index {
	out := make([]Index, 0, len(e.Index))
	for _, x := range e.Index {
		ix := Index{Node: x, Value: fr.eval(x)}
		if ix.Value.Kind == KindUnknown && ix.Value.Place == PlaceUnknown && isComparison(x) {
			// What selects by a comparison selects by a mask.
			ix.Value = tensor(PlaceUnknown, Possible).with(func(c *Value) { c.DType = DTypeBool })
		}
		if s, ok := x.(*pyast.Slice); ok && len(ix.Value.Items) == 3 { // it has none when the budget is spent
			ix.Slice = s
			if s.Lo != nil {
				ix.Lo = ix.Value.Items[0]
			}
			if s.Hi != nil {
				ix.Hi = ix.Value.Items[1]
			}
			if s.Step != nil {
				ix.Step = ix.Value.Items[2]
			}
		}
		out = append(out, ix)
	}
	// x[idx] with idx = (a, b) is x[a, b].
	if len(out) == 1 && out[0].Slice == nil && out[0].Value.Kind == KindTuple && out[0].Value.Elem == nil {
		if items := out[0].Value.Items; len(items) > 0 {
			flat := make([]Index, len(items))
			for i, v := range items {
				flat[i] = Index{Node: out[0].Node, Value: v}
				if v.Kind == KindSlice && len(v.Items) == 3 {
					flat[i].Lo, flat[i].Hi, flat[i].Step = v.Items[0], v.Items[1], v.Items[2]
				}
			}
			return flat
		}
	}
	return out
}

func isComparison(e pyast.Expr) bool {
	switch e := e.(type) {
	case *pyast.Compare:
		return len(e.Ops) == 1 && !strings.HasPrefix(e.Ops[0], "i") && !strings.HasPrefix(e.Ops[0], "not")
	case *pyast.Unary:
		return e.Op == "~" && isComparison(e.X)
	case *pyast.Binary:
		return (e.Op == "&" || e.Op == "|") && (isComparison(e.L) || isComparison(e.R))
	}
	return false
}

// load is base[index].
func (fr *frame) load(e *pyast.Subscript, base *Value, index []Index, aug bool) *Value {
	out := fr.item(e, base, index)
	if fr.in.emits() {
		fr.in.hooks.load(fr, &Load{Node: e, Base: base, Index: index, Result: out, Aug: aug})
	}
	return out
}

func (fr *frame) item(e *pyast.Subscript, base *Value, index []Index) *Value {
	switch base.Kind {
	case KindTensor:
		return indexTensor(base, index)
	case KindArray:
		if len(index) == 1 && index[0].Value.IsNumber() && base.Rank == 1 {
			return number
		}
		return array
	case KindShape:
		if len(index) == 1 && (index[0].Value.Kind == KindSlice) {
			return shape
		}
		return number.with(func(c *Value) { c.DType = DTypeInt })
	case KindString:
		return text
	case KindTuple, KindList:
		return sequenceItem(base, index)
	case KindDict, KindInstance:
		return fr.keyed(e, base, index)
	case KindExternal, KindClass:
		return base // List[int], Generic[T], triton kernels: kernel[grid]
	case KindFunc:
		return unknown // kernel[grid](…)
	}
	if base.Place == PlaceHost {
		return hostUnknown
	}
	return unknown
}

func (fr *frame) keyed(e *pyast.Subscript, base *Value, index []Index) *Value {
	if len(index) == 1 {
		if key, ok := index[0].Value.Str(); ok && fr.in.kept(fr.u.mod, key, false) {
			return tensor(PlaceCPU, Likely)
		}
	}
	if base.Class != nil {
		if m := fr.in.method(base.Class, "__getitem__"); m != nil && len(index) == 1 {
			return fr.callUser(m, base, []Arg{{Value: index[0].Value, Node: index[0].Node}}, e)
		}
	}
	if named := fr.namedItems(base); named != nil {
		return sequenceItem(tuple(named...), index)
	}
	if base.Obj == nil || len(index) != 1 {
		return unknown
	}
	if key, ok := index[0].Value.Str(); ok {
		if v := fr.held(base.Obj, key); v != nil {
			return v
		}
		if base.Obj.elem != nil {
			return perhaps(base.Obj.elem)
		}
		return unknown
	}
	out := base.Obj.elem
	for _, k := range sortedKeys(base.Obj.all()) {
		out = join(out, base.Obj.attrs[k])
	}
	if out == nil {
		return unknown
	}
	return out
}

func sequenceItem(base *Value, index []Index) *Value {
	if len(index) != 1 {
		return unknown
	}
	ix := index[0].Value
	if ix.Kind == KindSlice {
		if base.Elem == nil && len(index[0].Value.Items) == 3 {
			if items, ok := sliceItems(base.Items, ix); ok {
				return base.with(func(c *Value) { c.Items = items })
			}
		}
		return list(base.Element())
	}
	if n, ok := ix.Int(); ok && base.Elem == nil {
		if n < 0 {
			n += int64(len(base.Items))
		}
		if n >= 0 && n < int64(len(base.Items)) {
			return base.Items[n]
		}
	}
	if v := base.Element(); v != nil {
		return v
	}
	return unknown
}

func sliceItems(items []*Value, s *Value) ([]*Value, bool) {
	bound := func(v *Value, def int64) (int64, bool) {
		if v.IsNone() {
			return def, true
		}
		n, ok := v.Int()
		if n < 0 {
			n += int64(len(items))
		}
		return min(max(n, 0), int64(len(items))), ok
	}
	lo, okLo := bound(s.Items[0], 0)
	hi, okHi := bound(s.Items[1], int64(len(items)))
	if !okLo || !okHi || !s.Items[2].IsNone() || hi < lo {
		return nil, false
	}
	return items[lo:hi], true
}

// indexTensor is the tensor that an index gives: ints drop a dimension, slices keep it, None adds one, index tensors
// replace what they index by their own dimensions, masks by one.
func indexTensor(base *Value, index []Index) *Value {
	out := base.with(func(c *Value) { c.NonDense, c.Optional = false, false })
	rank := int(base.Rank)
	known := base.Rank >= 0
	advanced := -1
	for i, ix := range index {
		v := ix.Value
		switch v.Kind {
		case KindSlice:
			if i > 0 || len(v.Items) == 3 && !v.Items[2].IsNone() {
				out.NonDense = out.NonDense || !fullSlice(v)
			}
		case KindNone:
			rank++
		case KindEllipsis:
		case KindNumber:
			rank--
		case KindTensor, KindArray, KindList:
			if out.Place == PlacePinned {
				out.Place = PlaceCPU // a gather is a new tensor
			}
			r := int(v.Rank)
			switch {
			case v.Kind == KindList:
				r = 1
			case v.DType == DTypeBool:
				if v.Rank < 0 {
					known = false
				} else {
					rank -= r - 1
				}
				r = 1
			}
			if r < 0 {
				known = false
			}
			rank--
			advanced = max(advanced, r)
		default:
			known = false
		}
	}
	if advanced > 0 {
		// All advanced indices broadcast to one shape.
		rank += advanced
	}
	out.Rank = -1
	if known && rank >= 0 {
		out.Rank = int8(min(rank, 100))
	}
	return out
}

func fullSlice(v *Value) bool {
	for _, it := range v.Items {
		if !it.IsNone() {
			return false
		}
	}
	return true
}
