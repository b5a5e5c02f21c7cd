package runner

import (
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestClean(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain\ttext\n":                      "plain\ttext\n",
		"\x1b[1;31mred\x1b[0m":               "red",
		"\x1b]0;title\x07after":              "after",
		"\x1b]8;;http://x\x1b\\link":         "link",
		"10%\r20%\r\ndone":                   "10%\n20%\ndone",
		"bad \xff utf-8":                     "bad \ufffd utf-8",
		"null\x00 bell\x07 \u202ereversed":   "null bell reversed",
		"\x1b":                               "",
		strings.Repeat("\x1b[", 3) + "1mend": "end",
	} {
		if got := clean([]byte(in)); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add([]byte("\x1b[31mred\x1b[0m\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := clean(data)
		if !utf8.ValidString(s) {
			t.Errorf("invalid UTF-8 came out of %q", data)
		}
		for _, r := range s {
			if unicode.IsControl(r) && r != '\n' && r != '\t' {
				t.Errorf("control character %U came out of %q", r, data)
			}
		}
	})
}

func FuzzStat(f *testing.F) {
	f.Add([]byte("1 (a) b) S 0 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 33 0"))
	f.Add([]byte(")"))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := parseStat(7, data); err == nil && p.pid != 7 {
			t.Errorf("%+v", p)
		}
	})
}
