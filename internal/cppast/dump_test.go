package cppast

import (
	"fmt"
	"reflect"
	"strings"
)

// dump writes a node as a compact S-expression without places; fields that are not set are left out.
func dump(n any) string {
	var b strings.Builder
	dumpValue(&b, reflect.ValueOf(n))
	return b.String()
}

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
	case reflect.Struct:
		dumpStruct(b, v)
	default:
		fmt.Fprint(b, v.Interface())
	}
}

func dumpStruct(b *strings.Builder, v reflect.Value) {
	switch x := v.Interface().(type) {
	case Name:
		b.WriteString(x.ID)
		if x.Targs != nil {
			b.WriteString("<" + strings.Join(x.Targs, ",") + ">")
		}
		return
	case Lit:
		if x.String {
			fmt.Fprintf(b, "%q", x.Text)
		} else {
			b.WriteString(x.Text)
		}
		return
	}
	t := v.Type()
	b.WriteString("(" + t.Name())
	for i := range t.NumField() {
		f := v.Field(i)
		if t.Field(i).Anonymous || f.IsZero() {
			continue
		}
		if name := t.Field(i).Name; f.Kind() == reflect.Slice || f.Kind() == reflect.Bool {
			b.WriteString(" " + strings.ToLower(name))
		}
		if f.Kind() != reflect.Bool {
			b.WriteByte(' ')
			dumpValue(b, f)
		}
	}
	b.WriteByte(')')
}
