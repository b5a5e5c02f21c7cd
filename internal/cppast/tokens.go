package cppast

// Tokens returns the tokens of a piece of source without comments and line continuations, made for fingerprints: it does
// not change with blanks and line breaks.
func Tokens(src []byte) []string {
	var out []string
	for i := 0; i < len(src); {
		n := token(src[i:])
		switch c := src[i]; {
		case c <= ' ' || c == '\\' || n > 1 && c == '/' && (src[i+1] == '/' || src[i+1] == '*'):
		default:
			out = append(out, string(src[i:i+n]))
		}
		i += n
	}
	return out
}

// token is the length of the token, blank or comment at the start of s, at least 1.
func token(s []byte) int {
	c := s[0]
	switch {
	case wordByte(c):
		n := 1
		for n < len(s) && (wordByte(s[n]) || s[n] == '.' && c >= '0' && c <= '9') {
			n++
		}
		return n
	case c == '"' || c == '\'':
		for n := 1; n < len(s); n++ {
			switch s[n] {
			case '\\':
				n++
			case c:
				return n + 1
			case '\n':
				return n
			}
		}
		return len(s)
	case c == '/' && len(s) > 1 && s[1] == '/':
		for n := 2; n < len(s); n++ {
			if s[n] == '\n' {
				return n
			}
		}
		return len(s)
	case c == '/' && len(s) > 1 && s[1] == '*':
		for n := 2; n+1 < len(s); n++ {
			if s[n] == '*' && s[n+1] == '/' {
				return n + 2
			}
		}
		return len(s)
	}
	for _, op := range []string{"<<<", ">>>", "->", "::", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-=", "*=", "/="} {
		if len(s) >= len(op) && string(s[:len(op)]) == op {
			return len(op)
		}
	}
	return 1
}
