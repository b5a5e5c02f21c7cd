package pyast

import (
	"fmt"
	"reflect"
	"strings"
)

// dump writes a node as a compact S-expression: type, then the fields that are set, without places. It goes by
// reflection so that a field that is added to ast.go shows up in the golden cases without being asked for.
func dump(n any) string {
	var b strings.Builder
	dumpValue(&b, reflect.ValueOf(n))
	return b.String()
}

var spanType = reflect.TypeFor[Span]()

func dumpValue(b *strings.Builder, v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			b.WriteString("nil")
			return
		}
		dumpValue(b, v.Elem())
	case reflect.Slice:
		b.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				b.WriteByte(' ')
			}
			dumpValue(b, v.Index(i))
		}
		b.WriteByte(']')
	case reflect.String:
		fmt.Fprintf(b, "%q", v.String())
	case reflect.Struct:
		dumpStruct(b, v)
	default:
		fmt.Fprint(b, v.Interface())
	}
}

func dumpStruct(b *strings.Builder, v reflect.Value) {
	t := v.Type()
	if t == reflect.TypeFor[Name]() {
		b.WriteString(v.FieldByName("ID").String())
		return
	}
	if t == reflect.TypeFor[Const]() {
		c := v.Addr().Interface().(*Const)
		switch c.Kind {
		case ConstString:
			fmt.Fprintf(b, "%q", c.Text)
		case ConstBytes:
			fmt.Fprintf(b, "b%q", c.Text)
		default:
			b.WriteString(c.Text)
		}
		return
	}
	b.WriteString("(" + t.Name())
	for i := range t.NumField() {
		f := v.Field(i)
		if t.Field(i).Type == spanType || t.Field(i).Anonymous || f.IsZero() {
			continue
		}
		b.WriteByte(' ')
		if k := f.Kind(); k != reflect.Interface && k != reflect.Slice && k != reflect.String || t == reflect.TypeFor[Slice]() {
			b.WriteString(t.Field(i).Name + "=")
		}
		dumpValue(b, f)
	}
	b.WriteByte(')')
}
