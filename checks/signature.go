package checks

import (
	"fmt"
	"reflect"
	"strconv"
)

// callKey identifies a call for the memo.
type callKey struct {
	fn        *Func
	signature string
}

// signature is what the value of a call hangs on beside the function: whether it is looked at for its value only, the
// guards it stands under, and the abstract arguments. It is good until the next one is asked for.
func (in *interp) signature(recv *Value, args []Arg) []byte {
	b := in.sig[:0]
	if in.quiet > 0 {
		b = append(b, 'q')
	}
	if t := in.top(); t != nil && len(t.guards) > 0 {
		b = append(b, 'g')
	}
	if recv != nil {
		b = describe(append(b, '|'), recv, 3)
	}
	for _, a := range args {
		b = append(b, '|')
		b = append(b, a.Name...)
		if a.Star > 0 {
			b = append(b, '*')
		}
		b = describe(b, a.Value, 3)
	}
	in.sig = b
	return b
}

func describe(b []byte, v *Value, depth int) []byte {
	if v == nil || depth == 0 {
		return append(b, '?')
	}
	b = append(b, byte('a'+v.Kind), byte('0'+v.Place))
	switch v.Kind {
	case KindTensor:
		b = append(b, byte('A'+v.Rank+1), byte('0'+v.DType), byte('0'+v.Sure))
	case KindNumber, KindString:
		b = describeConst(b, v.Const)
	case KindInstance, KindDict:
		if v.Obj != nil {
			b = strconv.AppendInt(append(b, '#'), int64(v.Obj.id), 10)
		}
		if v.Class != nil {
			b = append(b, v.Class.Name...)
		}
	case KindFunc, KindClass, KindExternal, KindModule:
		b = append(appendPointer(appendPointer(b, v.Func), v.Class), v.Name...)
	}
	if v.Optional {
		b = append(b, 'o')
	}
	for _, it := range v.Items {
		b = describe(b, it, depth-1)
	}
	if v.Elem != nil {
		b = describe(append(b, '['), v.Elem, depth-1)
	}
	return b
}

func describeConst(b []byte, c any) []byte {
	switch c := c.(type) {
	case nil:
		return b
	case string:
		return append(append(b, '='), c...)
	case int64:
		return strconv.AppendInt(append(b, '='), c, 10)
	case bool:
		return strconv.AppendBool(append(b, '='), c)
	}
	return fmt.Appendf(append(b, '='), "%v", c)
}

// appendPointer tells things apart that live as long as the scan.
func appendPointer[T any](b []byte, p *T) []byte {
	return strconv.AppendUint(append(b, '@'), uint64(reflect.ValueOf(p).Pointer()), 36)
}
