package cppast

import (
	"bytes"
	"slices"
)

// amend returns the text that the grammar reads, of the same length as src. The grammars end the body of a #define at
// the first comment in it, and take the lines behind it for code: there, comments become blanks.
func amend(src []byte) []byte {
	out := src
	for at := 0; ; {
		i := bytes.Index(src[at:], []byte("#define"))
		if i < 0 {
			return out
		}
		start := at + i
		end := defineEnd(src, start)
		at = end
		for from := start; ; {
			open := bytes.Index(src[from:end], []byte("/*"))
			if open < 0 {
				break
			}
			open += from
			shut := bytes.Index(src[open+2:end], []byte("*/"))
			if shut < 0 {
				break
			}
			shut += open + 4
			if &out[0] == &src[0] {
				out = slices.Clone(src)
			}
			for k := open; k < shut; k++ {
				if c := out[k]; c != '\n' && c != '\r' && c != '\\' {
					out[k] = ' '
				}
			}
			from = shut
		}
	}
}

// defineEnd is the offset of the end of a directive: its line, and those that it continues on.
func defineEnd(src []byte, at int) int {
	for {
		i := bytes.IndexByte(src[at:], '\n')
		if i < 0 {
			return len(src)
		}
		line := bytes.TrimRight(src[at:at+i], "\r")
		at += i + 1
		if !bytes.HasSuffix(line, []byte("\\")) {
			return at
		}
	}
}
