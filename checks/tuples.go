package checks

import (
	"strings"

	"github.com/gatebot/gatebot/internal/pyast"
)

// tupleClass indexes `Out = namedtuple("Out", ["logits", "count"])` and `Out = NamedTuple("Out", [("logits", Tensor), …])`
// at the top level as the class that they make. It has no body, so that an object of which nobody has been seen to make
// it holds nothing that is known.
func (ix *indexer) tupleClass(n *pyast.Assign) {
	call, ok := n.Value.(*pyast.Call)
	if !ok || len(n.Targets) != 1 || len(call.Args) < 2 || call.Args[1].Name != "" && call.Args[1].Name != "field_names" {
		return
	}
	name, ok := n.Targets[0].(*pyast.Name)
	if !ok {
		return
	}
	var fields []string
	switch d, _ := dotted(call.Func); last(d) {
	case "namedtuple", "NamedTuple":
		fields = fieldNames(call.Args[1].Value)
	}
	if len(fields) == 0 || ix.m.classes[name.ID] != nil {
		return
	}
	c := &Class{Path: ix.m.path, Name: name.ID, Line: int(n.Start.Line), mod: ix.m, off: n.Off, short: name.ID,
		bases: []string{"typing.NamedTuple"}, methods: map[string]*Func{}, attrs: map[string][]string{},
		stores: map[string][]*Func{}, dup: ix.nth("class " + name.ID), fields: fields, data: true, ownData: true}
	ix.m.allCls = append(ix.m.allCls, c)
	ix.m.classes[name.ID] = c
}

// fieldNames reads "a b", "a, b", ["a", "b"] and [("a", int), ("b", int)]; nil when a name is no literal.
func fieldNames(e pyast.Expr) []string {
	var elts []pyast.Expr
	switch e := e.(type) {
	case *pyast.Const:
		if e.Kind == pyast.ConstString {
			return strings.Fields(strings.ReplaceAll(e.Text, ",", " "))
		}
	case *pyast.List:
		elts = e.Elts
	case *pyast.Tuple:
		elts = e.Elts
	}
	var out []string
	for _, x := range elts {
		if t, ok := x.(*pyast.Tuple); ok && len(t.Elts) > 0 {
			x = t.Elts[0]
		}
		c, ok := x.(*pyast.Const)
		if !ok || c.Kind != pyast.ConstString {
			return nil
		}
		out = append(out, c.Text)
	}
	return out
}
