package checks

import (
	"strings"
	"unicode/utf8"

	"github.com/gatebot/gatebot/internal/pyast"
)

// assign binds v to a target. value is the expression on the right, nil for loop variables.
func (fr *frame) assign(t pyast.Expr, v *Value, s pyast.Stmt, value pyast.Expr) {
	switch t := t.(type) {
	case *pyast.Name:
		fr.env.set(t.ID, fr.step(named(t.ID, v), s, "assigned to ", t.ID))
	case *pyast.Attr:
		recv := fr.eval(t.X)
		fr.storeAttr(t, recv, v, s, "")
	case *pyast.Subscript:
		fr.storeItem(t, v, s, "", value)
	case *pyast.Tuple:
		fr.unpack(t.Elts, v, s, value)
	case *pyast.List:
		fr.unpack(t.Elts, v, s, value)
	case *pyast.Starred:
		fr.assign(t.X, list(v.Element()), s, value)
	}
}

// named uses what the name of a variable or attribute says about the value that it gets: a device or dtype of which
// nothing else is known, and a tensor that is called x_cpu. Nobody calls a device tensor that, so what has put it on
// the device is an assumption that was wrong.
func named(name string, v *Value) *Value {
	switch {
	case !namesPlace(name):
	case v.Kind == KindUnknown && v.Place == PlaceUnknown:
		if h := hint(name); h.Kind == KindDevice || h.Kind == KindDType || h.OnCPU() {
			return h
		}
	case v.IsTensor() && !v.OnCPU():
		if h := hint(name); h.OnCPU() {
			return v.with(func(c *Value) { c.Place, c.Sure = PlaceCPU, Possible })
		}
	case v.OnCPU():
		if h := hint(name); h.OnDevice() { // the device side of a pair of buffers
			return v.with(func(c *Value) { c.Place, c.Sure = PlaceDevice, Possible })
		}
	}
	return v
}

// namesPlace is false for most names: those whose hint is no device, no dtype and no tensor of which it says where it is.
func namesPlace(name string) bool {
	for i := 0; i+3 <= len(name); i++ {
		switch name[i] | 0x20 {
		case 'c', 'd', 'g', 'h':
			switch strings.ToLower(name[i : i+3]) {
			case "cpu", "dev", "dty", "gpu", "hos":
				return true
			}
		}
	}
	return strings.IndexFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 // may be one of these in lower case
}

func (fr *frame) unpack(targets []pyast.Expr, v *Value, s pyast.Stmt, value pyast.Expr) {
	// `a, b = x, y` makes no tuple: each name gets its own value, and its own evidence.
	if v.IsTensor() && fr.in.emits() {
		node := value
		if node == nil {
			if f, ok := s.(*pyast.For); ok {
				node = f.Iter
			}
		}
		if node != nil {
			fr.in.hooks.iterate(fr, &Iterate{Node: node, Kind: IterUnpack, Value: v})
		}
	}
	if named := fr.namedItems(v); len(named) == len(targets) && len(named) > 0 {
		v = tuple(named...)
	}
	elem := fr.iterated(v, value)
	for i, t := range targets {
		item := elem
		if len(v.Items) == len(targets) && v.Elem == nil {
			item = v.Items[i]
		}
		fr.assign(t, item, s, value)
	}
}

func (fr *frame) augmented(s *pyast.AugAssign) {
	switch t := s.Target.(type) {
	case *pyast.Subscript:
		base := fr.eval(t.X)
		index := fr.indices(t)
		old := fr.load(t, base, index, true)
		r := fr.eval(s.Value)
		v := fr.binary(s, s.Op, old, r, true)
		fr.store(t, base, index, v, s, s.Op, s.Value)
	case *pyast.Attr:
		recv := fr.eval(t.X)
		old := fr.attr(t, recv)
		r := fr.eval(s.Value)
		fr.storeAttr(t, recv, fr.binary(s, s.Op, old, r, true), s, s.Op)
	case *pyast.Name:
		old := fr.eval(t)
		r := fr.eval(s.Value)
		v := fr.binary(s, s.Op, old, r, true)
		fr.env.set(t.ID, fr.step(v, s, "assigned to ", t.ID))
	default:
		fr.eval(s.Value)
	}
}

// storeAttr is recv.name = v.
func (fr *frame) storeAttr(t *pyast.Attr, recv, v *Value, s pyast.Stmt, op string) {
	if fr.in.emits() {
		fr.in.hooks.attrStore(fr, &AttrStore{Node: t, Stmt: s, Recv: recv, Name: t.Name, Value: v, Op: op})
	}
	v = fr.step(v, s, "stored as ", t.Name)
	if recv.Kind == KindTensor || recv.Obj == nil {
		return
	}
	fr.put(recv.Obj, t.Name, v)
}

// put joins v into an object, and remembers it for the rest of this function as what the name holds now.
func (fr *frame) put(o *Object, name string, v *Value) {
	_, hot := fr.in.hot.info[fr.fn]
	if hot {
		o.split()
	}
	o.attrs[name] = join(o.attrs[name], v)
	if !hot && !o.early {
		if o.load == nil {
			o.load = map[string]*Value{}
		}
		o.load[name] = join(o.load[name], v)
	}
	fr.env.put(holder{o.id, name}, v)
}

// held is what an object holds under a name at this point; nil when nothing is known.
func (fr *frame) held(o *Object, name string) *Value {
	if o == nil {
		return nil
	}
	if v := fr.env.at(holder{o.id, name}); v != nil {
		return v
	}
	return o.attr(name)
}

func (fr *frame) storeItem(t *pyast.Subscript, v *Value, s pyast.Stmt, op string, value pyast.Expr) {
	base := fr.eval(t.X)
	fr.store(t, base, fr.indices(t), v, s, op, value)
}

func (fr *frame) store(t *pyast.Subscript, base *Value, index []Index, v *Value, s pyast.Stmt, op string, value pyast.Expr) {
	if fr.in.emits() {
		fr.in.hooks.store(fr, &Store{Node: t, Stmt: s, Base: base, Index: index, Value: v, Op: op, ValueNode: value})
	}
	switch base.Kind {
	case KindDict, KindInstance:
		if base.Obj == nil || len(index) != 1 {
			return
		}
		if key, ok := index[0].Value.Str(); ok {
			fr.put(base.Obj, key, v)
		} else {
			base.Obj.elem = join(base.Obj.elem, v)
		}
	case KindList:
		// Lists are immutable values here: what is stored becomes what the variable's elements may be.
		if n, ok := t.X.(*pyast.Name); ok {
			fr.env.set(n.ID, list(join(base.Element(), v)))
		}
	}
}
