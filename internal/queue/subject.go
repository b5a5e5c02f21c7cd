package queue

import (
	"fmt"
	"strconv"
	"strings"
)

// none stands for the empty sub-subject, which NATS has no way to write.
const none = "_"

// subjectOf is the NATS subject of a stream's sub-subject. A sub-subject is made of letters, digits, '-' and '_',
// in tokens separated by dots; anything else could be a wildcard or split a protocol line.
func subjectOf(s Stream, sub string) (string, error) {
	prefix, err := subjectPrefix(s)
	if err != nil {
		return "", err
	}
	if sub == "" {
		return prefix + "." + none, nil
	}
	for tok := range strings.SplitSeq(sub, ".") {
		if !plain(tok) {
			return "", fmt.Errorf("queue: sub-subject %q: not letters, digits, - and _ in tokens separated by dots", sub)
		}
	}
	return prefix + "." + sub, nil
}

// subOf undoes subjectOf.
func subOf(subject string) string {
	_, sub, _ := strings.Cut(subject, ".")
	if sub == none {
		return ""
	}
	return sub
}

// plain reports whether tok is a non-empty token that needs no escape.
func plain(tok string) bool {
	for i := range len(tok) {
		if !plainByte(tok[i]) {
			return false
		}
	}
	return tok != ""
}

func plainByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '-' || b == '_'
}

// escape writes any name as one subject token: other bytes become =XX.
func escape(name string) string {
	var b strings.Builder
	for i := range len(name) {
		if plainByte(name[i]) {
			b.WriteByte(name[i])
			continue
		}
		fmt.Fprintf(&b, "=%02X", name[i])
	}
	return b.String()
}

// unescape undoes escape.
func unescape(tok string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(tok); i++ {
		if tok[i] != '=' {
			b.WriteByte(tok[i])
			continue
		}
		if i+3 > len(tok) {
			return "", fmt.Errorf("queue: key %q: cut off after =", tok)
		}
		v, err := strconv.ParseUint(tok[i+1:i+3], 16, 8)
		if err != nil {
			return "", fmt.Errorf("queue: key %q: %w", tok, err)
		}
		b.WriteByte(byte(v))
		i += 2
	}
	return b.String(), nil
}

// escapePath escapes each segment of a slash-separated name and joins them with dots.
func escapePath(name string) (string, error) {
	segs := strings.Split(name, "/")
	for i, s := range segs {
		if s == "" {
			return "", fmt.Errorf("queue: blob name %q: empty segment", name)
		}
		segs[i] = escape(s)
	}
	return strings.Join(segs, "."), nil
}
