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
		for c := i + 1; c < l.nodes[i].next; c = l.nodes[c].next {
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
	for off := l.nodes[i].start; off < l.nodes[i].end; off++ {
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
	start, end := l.nodes[i].start, l.nodes[i].end
	for c := i + 1; c < l.nodes[i].next; c = l.nodes[c].next {
		switch l.kind(c) {
		case kStringStart:
			start = l.nodes[c].end
		case kStringEnd:
			end = l.nodes[c].start
		}
	}
	if end < start {
		return nil
	}
	return l.src[start:end]
}

// fstring appends the literal text and the interpolations of one string.
func (l *lowerer) fstring(i uint32, text []byte, values []FValue) ([]byte, []FValue) {
	off := l.nodes[i].start
	for c := i + 1; c < l.nodes[i].next; c = l.nodes[c].next {
		n := &l.nodes[c]
		switch l.kind(c) {
		case kStringStart:
			off = n.end
		case kInterpolation, kFormatExpression:
			text = append(text, l.src[off:max(off, n.start)]...)
			text = l.place(c, text)
			values = l.interpolation(c, values)
			off = n.end
		case kStringEnd:
			text = append(text, l.src[off:max(off, n.start)]...)
		}
	}
	return text, values
}

// place appends what stands for an interpolation in the text: "{}", or "{:>{}}" with the literal parts of its
// specification.
func (l *lowerer) place(i uint32, text []byte) []byte {
	text = append(text, '{')
	if spec := l.child(i, kFormatSpecifier); spec != none && l.enter(spec) {
		off := l.nodes[spec].start
		for c := spec + 1; c < l.nodes[spec].next; c = l.nodes[c].next {
			if k := l.kind(c); k == kFormatExpression || k == kInterpolation {
				text = l.place(c, append(text, l.src[off:max(off, l.nodes[c].start)]...))
				off = l.nodes[c].end
			}
		}
		text = append(text, l.src[off:max(off, l.nodes[spec].end)]...)
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
	for c := i + 1; c < l.nodes[i].next; c = l.nodes[c].next {
		switch l.kind(c) {
		case kTypeConversion:
			v.Conv = l.names.get(bytes.TrimPrefix(l.src[l.nodes[c].start:l.nodes[c].end], []byte("!")))
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
	for c := spec + 1; c < l.nodes[spec].next; c = l.nodes[c].next {
		if k := l.kind(c); k == kFormatExpression || k == kInterpolation {
			values = l.interpolation(c, values)
		}
	}
	return values
}
