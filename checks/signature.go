package checks

import (
	"fmt"
	"strings"
)

// signature identifies a call for the memo: the function, whether it is looked at for its value only, the guards it
// stands under, and the abstract arguments.
func (in *interp) signature(f *Func, args []Arg) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%p", f)
	if in.quiet > 0 {
		b.WriteByte('q')
	}
	if t := in.top(); t != nil && len(t.guards) > 0 {
		b.WriteByte('g')
	}
	for _, a := range args {
		b.WriteByte('|')
		b.WriteString(a.Name)
		if a.Star > 0 {
			b.WriteByte('*')
		}
		describe(&b, a.Value, 3)
	}
	return b.String()
}

func describe(b *strings.Builder, v *Value, depth int) {
	if v == nil || depth == 0 {
		b.WriteByte('?')
		return
	}
	b.WriteByte(byte('a' + v.Kind))
	b.WriteByte(byte('0' + v.Place))
	switch v.Kind {
	case KindTensor:
		b.WriteByte(byte('A' + v.Rank + 1))
		b.WriteByte(byte('0' + v.DType))
		b.WriteByte(byte('0' + v.Sure))
	case KindNumber, KindString:
		if v.Const != nil {
			fmt.Fprintf(b, "=%v", v.Const)
		}
	case KindInstance, KindDict:
		if v.Obj != nil {
			fmt.Fprintf(b, "#%d", v.Obj.id)
		}
		if v.Class != nil {
			b.WriteString(v.Class.Name)
		}
	case KindFunc, KindClass, KindExternal, KindModule:
		fmt.Fprintf(b, "%p%p%s", v.Func, v.Class, v.Name)
	}
	if v.Optional {
		b.WriteByte('o')
	}
	for _, it := range v.Items {
		describe(b, it, depth-1)
	}
	if v.Elem != nil {
		b.WriteByte('[')
		describe(b, v.Elem, depth-1)
	}
}
