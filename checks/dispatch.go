package checks

import (
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/pyast"
)

// `getattr(self, f"forward_{self.kind}")` calls one of the methods whose names begin like that: of the class around and
// its ancestors in the same file, so that whoever reads the file knows them.

// minPrefix is the length below which too many methods begin so.
const minPrefix = 4

// namePrefix is what a text begins with that is put together; "" when that is not written there.
func namePrefix(e pyast.Expr) string {
	out := ""
	switch e := e.(type) {
	case *pyast.Binary:
		if c, ok := e.L.(*pyast.Const); ok && e.Op == "+" && c.Kind == pyast.ConstString {
			out = c.Text
		}
	case *pyast.FString:
		out, _, _ = strings.Cut(e.Text, "{")
	}
	if len(out) < minPrefix {
		return ""
	}
	return out
}

// prefixRef is the reference that getattr with such a name is: "self.forward_*".
func prefixRef(n *pyast.Call) (string, bool) {
	if f, ok := n.Func.(*pyast.Name); !ok || f.ID != "getattr" || len(n.Args) < 2 {
		return "", false
	}
	if self, ok := n.Args[0].Value.(*pyast.Name); !ok || self.ID != "self" {
		return "", false
	}
	p := namePrefix(n.Args[1].Value)
	return "self." + p + "*", p != ""
}

// prefixed are the methods of a class whose names begin with prefix, as far as its file has them, by name.
func (c *Class) prefixed(prefix string) []*Func {
	var out []*Func
	for _, k := range c.mro {
		if k.mod != c.mod {
			continue
		}
		for _, name := range sortedKeys(k.methods) {
			if f := k.methods[name]; strings.HasPrefix(name, prefix) && !slices.ContainsFunc(out, func(g *Func) bool { return g.short == f.short }) {
				out = append(out, f)
			}
		}
	}
	return out
}

// dispatched is what getattr may give for a name that begins with prefix: nil when it is no such call.
func (fr *frame) dispatched(recv *Value, name pyast.Expr) *Value {
	if fr.fn == nil || fr.fn.Class == nil || recv.Kind != KindInstance || recv.Class == nil || fr.self == nil || recv.Obj != fr.self.Obj {
		return nil
	}
	prefix := namePrefix(name)
	if prefix == "" {
		return nil
	}
	fr.in.asked.of(fr.fn.Class, askShape, "")
	for _, k := range fr.fn.Class.mro {
		if k.mod == fr.fn.mod {
			fr.in.asked.of(k, askMethods, "")
		}
	}
	var out *Value
	for _, m := range fr.fn.Class.prefixed(prefix) {
		if m.Kind != FuncProperty && m != fr.fn {
			out = join(out, fr.methodValue(m, recv))
		}
	}
	return out
}
