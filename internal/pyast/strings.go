package pyast

import "bytes"

// str lowers a string or a concatenation of strings: FString when one of them is an f-string.
func (l *lowerer) str(i uint32, at exprNode) Expr {
	if l.kind(i) == kString {
		if k := l.prefix(i); k != prefixFormat {
			return l.constant(at, k.constKind(), l.names.get(l.content(i)))
		}
	}
	var text []byte
	var values []FValue
	kind := prefixPlain
	each := func(s uint32) {
		if k := l.prefix(s); k != prefixPlain && kind != prefixFormat {
			kind = k
		}
		text, values = l.fstring(s, text, values)
	}
	if l.kind(i) == kString {
		each(i)
	} else {
		for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
			if l.kind(c) == kString {
				each(c)
			}
		}
	}
	if kind == prefixFormat {
		return &FString{exprNode: at, Values: values, Text: l.names.get(text)}
	}
	return l.constant(at, kind.constKind(), l.names.get(text))
}

type prefix uint8

const (
	prefixPlain prefix = iota
	prefixBytes
	prefixFormat
)

func (p prefix) constKind() ConstKind {
	if p == prefixBytes {
		return ConstBytes
	}
	return ConstString
}

// prefix reads the letters before the opening quote.
func (l *lowerer) prefix(i uint32) prefix {
	for off := l.nodes[i].Start; off < l.nodes[i].End; off++ {
		switch l.src[off] | 0x20 {
		case 'f', 't':
			return prefixFormat
		case 'b':
			return prefixBytes
		case 'r', 'u':
		default:
			return prefixPlain
		}
	}
	return prefixPlain
}

// content is what lies between the quotes of a string. A string that is not closed ends where its node ends.
func (l *lowerer) content(i uint32) []byte {
	start, end := l.nodes[i].Start, l.nodes[i].End
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		switch l.kind(c) {
		case kStringStart:
			start = l.nodes[c].End
		case kStringEnd:
			end = l.nodes[c].Start
		}
	}
	if end < start {
		return nil
	}
	return l.src[start:end]
}

// fstring appends the literal text and the interpolations of one string.
func (l *lowerer) fstring(i uint32, text []byte, values []FValue) ([]byte, []FValue) {
	off := l.nodes[i].Start
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		n := &l.nodes[c]
		switch l.kind(c) {
		case kStringStart:
			off = n.End
		case kInterpolation, kFormatExpression:
			text = append(text, l.src[off:max(off, n.Start)]...)
			text = l.place(c, text)
			values = l.interpolation(c, values)
			off = n.End
		case kStringEnd:
			text = append(text, l.src[off:max(off, n.Start)]...)
		}
	}
	return text, values
}

// place appends what stands for an interpolation in the text: "{}", or "{:>{}}" with the literal parts of its
// specification.
func (l *lowerer) place(i uint32, text []byte) []byte {
	text = append(text, '{')
	if spec := l.child(i, kFormatSpecifier); spec != none && l.enter(spec) {
		off := l.nodes[spec].Start
		for c := spec + 1; c < l.nodes[spec].Next; c = l.nodes[c].Next {
			if k := l.kind(c); k == kFormatExpression || k == kInterpolation {
				text = l.place(c, append(text, l.src[off:max(off, l.nodes[c].Start)]...))
				off = l.nodes[c].End
			}
		}
		text = append(text, l.src[off:max(off, l.nodes[spec].End)]...)
		l.leave()
	} else if spec != none {
		l.leave()
	}
	return append(text, '}')
}

// interpolation appends the value of {X!r:spec} and those that its specification contains.
func (l *lowerer) interpolation(i uint32, values []FValue) []FValue {
	if !l.enter(i) {
		l.leave()
		return values
	}
	defer l.leave()
	v := FValue{}
	spec := none
	var parts []uint32
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		switch l.kind(c) {
		case kTypeConversion:
			v.Conv = l.names.get(bytes.TrimPrefix(l.src[l.nodes[c].Start:l.nodes[c].End], []byte("!")))
		case kFormatSpecifier:
			v.Spec, spec = true, c
		default:
			if l.part(c) {
				parts = append(parts, c)
			}
		}
	}
	switch {
	case len(parts) == 0:
		v.X = l.exprOr(none, i)
	case l.kind(parts[0]) == kNamedExpression: // {x:=8} is x with the specification "=8"
		v.Spec = true
		if w, ok := l.expr(parts[0]).(*Walrus); ok {
			v.X = w.Target
			if _, plain := w.Value.(*Const); !plain {
				values = append(values, v)
				v = FValue{X: w.Value}
			}
			break
		}
		v.X = l.exprOr(none, i)
	default:
		v.X = l.expr(parts[0])
	}
	values = append(values, v)
	for _, c := range parts[min(1, len(parts)):] { // what error recovery has left
		values = append(values, FValue{X: l.expr(c)})
	}
	if spec == none {
		return values
	}
	for c := spec + 1; c < l.nodes[spec].Next; c = l.nodes[c].Next {
		if k := l.kind(c); k == kFormatExpression || k == kInterpolation {
			values = l.interpolation(c, values)
		}
	}
	return values
}
