package cppast

import (
	"strings"

	"github.com/gatebot/gatebot/internal/treesitter"
)

// nameOf is the name at i without blanks and template arguments: A<int>::f is A::f.
func (l *lowerer) nameOf(i uint32) string {
	name, _ := l.named(i, 0)
	return name
}

// named is a name and the template arguments of its last part.
func (l *lowerer) named(i uint32, depth int) (string, []string) {
	if i == none {
		return "", nil
	}
	if depth > 64 {
		return squeeze(l.text(i)), nil
	}
	f := &l.g.fields
	switch l.kind(i) {
	case kQualified:
		name, targs := l.named(l.field(i, f.name), depth+1)
		if scope := l.field(i, f.scope); scope != none {
			s, _ := l.named(scope, depth+1)
			name = s + "::" + name
		}
		return strings.TrimPrefix(name, "::"), targs
	case kTemplateName:
		name, _ := l.named(l.field(i, f.name), depth+1)
		return name, l.targs(l.field(i, f.arguments))
	case kDependentName, kDependentType:
		for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
			if l.part(c) {
				return l.named(c, depth+1)
			}
		}
	}
	return squeeze(l.text(i)), nil
}

func (l *lowerer) targs(i uint32) []string {
	if i == none {
		return nil
	}
	var out []string
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		if l.part(c) {
			out = append(out, squeeze(l.text(c)))
		}
	}
	return out
}

// typeText is the text of a type without blanks, except where two words meet.
func (l *lowerer) typeText(i uint32) string {
	if i == none {
		return ""
	}
	if l.kind(i) == kTypeSpec { // struct X {…} x;
		return l.nameOf(l.field(i, l.g.fields.name))
	}
	return squeeze(l.text(i))
}

// declared is the name in a declarator and what it adds to the type: `*`, `&`, `[]`.
func (l *lowerer) declared(i uint32) (name, suffix string) {
	for range 64 {
		switch l.kind(i) {
		case kPointerDeclarator:
			suffix = "*" + suffix
		case kReferenceDeclarator:
			suffix = "&" + suffix
		case kArrayDeclarator:
			suffix = "[]" + suffix
		case kInitDeclarator, kFunctionDeclarator:
		case kStructured:
			return "", suffix
		case kIdentifier, kQualified, kTemplateName:
			return l.nameOf(i), suffix
		}
		next := l.field(i, l.g.fields.declarator)
		if next == none {
			for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
				if l.nodes[c].Flags&(treesitter.Named|treesitter.Extra|treesitter.Error) == treesitter.Named {
					next = c
				}
			}
		}
		if next == none {
			return "", suffix
		}
		i = next
	}
	return "", suffix
}

// squeeze takes the blanks out of a text, except between two words.
func squeeze(s string) string {
	if !strings.ContainsAny(s, " \t\r\n\\") {
		return s
	}
	var b strings.Builder
	space := false
	var last byte
	for i := range len(s) {
		switch c := s[i]; c {
		case ' ', '\t', '\n', '\r', '\\':
			space = true
		default:
			if space && wordByte(last) && wordByte(c) {
				b.WriteByte(' ')
			}
			space = false
			b.WriteByte(c)
			last = c
		}
	}
	return b.String()
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}
