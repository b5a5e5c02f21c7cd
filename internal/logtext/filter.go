package logtext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Filter is one log on its way. The zero value begins one.
type Filter struct {
	rest  []byte // bytes of a character that is not whole yet
	mode  mode
	seen  int // runes of the terminal sequence so far
	cr    bool
	words redactor
}

type mode int

const (
	text   mode = iota
	escape      // after ESC
	csi         // ESC [ parameters, up to a final letter
	str         // ESC ] P X ^ _ text, up to BEL or ESC \
	strEnd      // an ESC inside such a text
)

// maxSequence ends a sequence that nobody closed: it must not swallow the log behind it.
const maxSequence = 1024

// Add takes the next piece and gives what can be shown by now.
func (f *Filter) Add(piece []byte) string {
	var b strings.Builder
	data := piece
	if len(f.rest) > 0 {
		data = append(f.rest, piece...)
		f.rest = nil
	}
	for len(data) > 0 {
		if !utf8.FullRune(data) {
			f.rest = append([]byte(nil), data...)
			break
		}
		r, n := utf8.DecodeRune(data) // an invalid byte becomes U+FFFD
		f.rune(&b, r)
		data = data[n:]
	}
	return f.words.add(b.String())
}

// End gives what was held back.
func (f *Filter) End() string {
	var b strings.Builder
	if len(f.rest) > 0 {
		b.WriteRune(utf8.RuneError)
	}
	out := f.words.add(b.String()) + f.words.end()
	*f = Filter{}
	return out
}

// Clean is a whole log at once.
func Clean(log []byte) string {
	var f Filter
	return f.Add(log) + f.End()
}

func (f *Filter) rune(b *strings.Builder, r rune) {
	if f.mode != text && f.sequence(r) {
		return
	}
	was := f.cr
	f.cr = false
	switch {
	case r == '\n' && was: // \r\n is one line end
	case r == '\n', r == '\t':
		b.WriteRune(r)
	case r == '\r':
		f.cr = true
		b.WriteByte('\n') // a progress bar that draws itself anew
	case r == 0x1b:
		f.mode, f.seen = escape, 0
	case r == 0x9b:
		f.mode, f.seen = csi, 0
	case r == 0x90, r == 0x98, r >= 0x9d && r <= 0x9f:
		f.mode, f.seen = str, 0
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r): // Cf: text that runs backwards, and invisible text
	default:
		b.WriteRune(r)
	}
}

// sequence takes a rune of a terminal sequence, and reports false for one that ends it without belonging to it.
func (f *Filter) sequence(r rune) bool {
	f.seen++
	if f.seen > maxSequence || r == '\n' || r == '\r' || r == 0x1b && f.mode != str && f.mode != strEnd {
		f.mode = text
		return false
	}
	switch f.mode {
	case escape:
		switch {
		case r == '[':
			f.mode = csi
		case strings.ContainsRune("]PX^_", r):
			f.mode = str
		case r >= 0x20 && r <= 0x2f: // an intermediate: one more follows
		default:
			f.mode = text
		}
	case csi:
		if r < 0x20 || r > 0x3f {
			f.mode = text
		}
	case str:
		switch r {
		case 0x07, 0x9c:
			f.mode = text
		case 0x1b:
			f.mode = strEnd
		}
	case strEnd:
		f.mode = text
		if r != '\\' {
			return f.again(r)
		}
	}
	return true
}

// again reads a rune after an ESC that did not close the text it stood in: that began a sequence of its own.
func (f *Filter) again(r rune) bool {
	f.mode = escape
	return f.sequence(r)
}
