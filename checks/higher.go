package checks

import (
	"strings"

	"github.com/gatebot/gatebot/internal/pyast"
)

// higher handles functions of the standard library that call another function, or that are an operator by another name.
func (fr *frame) higher(e *pyast.Call, callee *Value, args []Arg) (*Value, bool) {
	module, name, _ := strings.Cut(callee.Name, ".")
	switch module {
	case "operator":
		return fr.operator(e, strings.Trim(name, "_"), args)
	case "functools":
		if name == "reduce" && len(args) > 1 {
			fr.iterateCall(args[1], callee.Name)
			item := Arg{Value: fr.iterated(args[1].Value, args[1].Node), Node: args[1].Node}
			acc := item
			if len(args) > 2 {
				acc.Value = join(args[2].Value, item.Value)
			}
			return fr.callValue(args[0].Value, []Arg{acc, item}, e), true
		}
	case "itertools":
		fr.predicate(e, name, args)
	case "dataclasses":
		if name == "replace" {
			return fr.replaced(e, callee, args)
		}
	}
	return nil, false
}

var operators = map[string]string{"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
	"matmul": "@", "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>"}

// operator is operator.add(l, r), and operator.gt of a tensor.
func (fr *frame) operator(e *pyast.Call, name string, args []Arg) (*Value, bool) {
	if len(args) == 1 && name == "not" {
		fr.truth(args[0].Node, args[0].Value, TruthNot, nil)
		return boolean, true
	}
	if len(args) != 2 {
		return nil, false
	}
	l, r := args[0].Value, args[1].Value
	if op, ok := operators[name]; ok {
		return fr.binary(e, op, l, r, false), true
	}
	switch name {
	case "lt", "le", "eq", "ne", "ge", "gt":
		if l.Kind == KindTensor || r.Kind == KindTensor {
			return fr.arith("==", l, r).with(func(c *Value) { c.DType = DTypeBool }), true
		}
	}
	return nil, false
}

// predicate runs the function, and asks the selectors, that say which items come through.
func (fr *frame) predicate(e *pyast.Call, name string, args []Arg) {
	if len(args) < 2 {
		return
	}
	item := func(i int) Arg { return Arg{Value: fr.iterated(args[i].Value, args[i].Node), Node: args[i].Node} }
	switch name {
	case "takewhile", "dropwhile", "filterfalse":
		fr.truth(e, fr.callValue(args[0].Value, []Arg{item(1)}, e), TruthFilter, nil)
	case "compress":
		fr.truth(args[1].Node, item(1).Value, TruthFilter, nil)
	case "accumulate":
		fr.callValue(args[1].Value, []Arg{item(0), item(0)}, e)
	case "starmap":
		if t := item(1); t.Value.Kind == KindTuple && t.Value.Elem == nil {
			var items []Arg
			for _, v := range t.Value.Items {
				items = append(items, Arg{Value: v, Node: t.Node})
			}
			fr.callValue(args[0].Value, items, e)
		}
	}
}

// replaced is dataclasses.replace(x, field=…): an object of the same class that holds the same but for what is given.
func (fr *frame) replaced(e *pyast.Call, callee *Value, args []Arg) (*Value, bool) {
	v := callee.Recv
	if v == nil && len(args) > 0 {
		v, args = args[0].Value, args[1:]
	}
	if v == nil || v.Kind != KindInstance || v.Class == nil || len(v.also()) > 0 {
		return nil, false
	}
	out := &Value{Kind: KindInstance, Rank: -1, Place: PlaceHost, Sure: v.Sure, Class: v.Class, Obj: fr.objectAt(e)}
	if v.Obj != nil && v.Obj != fr.in.state(v.Class).obj && v.Obj != out.Obj { // else the class says what it holds
		for _, k := range sortedKeys(v.Obj.all()) {
			out.Obj.set(k, fr.held(v.Obj, k))
		}
	}
	for _, a := range args {
		if a.Name != "" {
			fr.put(out.Obj, a.Name, a.Value)
		}
	}
	return out, true
}
