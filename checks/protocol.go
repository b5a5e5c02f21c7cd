package checks

import "slices"

// protocol calls the first of these methods that the class of an object has: what `if x:`, `len(x)` and `with x:` run
// without naming it. It is nil where v is no object of a class of the project, or its class has none of them.
func (fr *frame) protocol(v *Value, args []Arg, names ...string) *Value {
	if v == nil || v.Kind != KindInstance || v.Class == nil {
		return nil
	}
	for _, name := range names {
		if m := fr.in.method(v.Class, name); m != nil {
			return fr.callUser(m, v, args, nil)
		}
	}
	return nil
}

// left is the end of `with v:`.
func (fr *frame) left(v *Value) {
	fr.protocol(v, []Arg{{Value: none}, {Value: none}, {Value: none}}, "__exit__")
}

// keyFunction runs the key function of sorted, min and max for one of the elements.
func (fr *frame) keyFunction(c *Call, elem *Value) {
	if key := c.Value(-1, "key"); key != nil && key.Kind == KindFunc {
		fr.callFunc(key, []Arg{{Value: elem}}, c.Node)
	}
}

// namedItems are the fields of a NamedTuple in order, which is also a tuple; nil for other values.
func (fr *frame) namedItems(v *Value) []*Value {
	if v.Kind != KindInstance || v.Class == nil {
		return nil
	}
	c := v.Class
	fr.in.asked.of(c, askShape, "")
	if !slices.Contains(c.ext, "typing.NamedTuple") {
		return nil
	}
	fr.in.asked.of(c, askFields, "")
	var out []*Value
	for i := len(c.mro) - 1; i >= 0; i-- {
		for _, f := range c.mro[i].fields {
			out = append(out, fr.instanceAttr(v, f))
		}
	}
	return out
}
