package logtext

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	token := "ghp_" + strings.Repeat("aB3", 12)
	key := "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----\n"
	for name, c := range map[string]struct{ in, want string }{
		"plain":                    {"one\ttwo\nthree", "one\ttwo\nthree"},
		"colour":                   {"\x1b[1;31mred\x1b[0m and \x1b[38;5;12mblue\x1b[m", "red and blue"},
		"cursor":                   {"\x1b[2J\x1b[Htop\x1b[?25l", "top"},
		"title by BEL":             {"\x1b]0;evil\x07shown", "shown"},
		"link by ST":               {"\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"},
		"device control":           {"\x1bPq#0;2;0\x1b\\after", "after"},
		"charset":                  {"\x1b(Bafter", "after"},
		"C1 sequence":              {"\u009b31mred", "red"},
		"title never closed":       {"\x1b]0;evil\nthe next line", "\nthe next line"},
		"sequence never closed":    {"\x1b[" + strings.Repeat("1", 2*maxSequence) + "m", strings.Repeat("1", maxSequence+1) + "m"},
		"ESC in a title":           {"\x1b]0;a\x1b[31mred", "red"},
		"progress bar":             {"10%\r20%\r\ndone", "10%\n20%\ndone"},
		"control":                  {"a\x00b\x08c\x7fd", "abcd"},
		"runs backwards":           {"a\u202eb\u200bc", "abc"},
		"not UTF-8":                {"a\xff\xfeb", "a\ufffd\ufffdb"},
		"cut off character":        {"a\xe2\x82", "a\ufffd"},
		"HTML stays text":          {"<script>&", "<script>&"},
		"token":                    {"use " + token + " now", "use " + Redacted + " now"},
		"token at the end":         {token, Redacted},
		"token in colour":          {"\x1b[31m" + token[:10] + "\x1b[0m" + token[10:], Redacted},
		"seed of a runner":         {"SUA" + strings.Repeat("B2", 27) + "C", Redacted},
		"password in an address":   {"git clone https://me:hunter2@host/x", "git clone https://me:" + Redacted + "@host/x"},
		"private key":              {"before\n" + key + "after", "before\n" + Redacted + "\nafter"},
		"private key never closed": {"x -----BEGIN PRIVATE KEY-----\nabc\n", "x " + Redacted},
		"rules are no keys":        {"----- step 1 -----\nok\n", "----- step 1 -----\nok\n"},
		"commit is no secret":      {"417a7f0e8a6c1f7f2f7d1f2e417a7f0e8a6c1f7f", "417a7f0e8a6c1f7f2f7d1f2e417a7f0e8a6c1f7f"},
	} {
		if got := Clean([]byte(c.in)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		var f Filter
		var b strings.Builder
		for i := range len(c.in) { // byte by byte
			b.WriteString(f.Add([]byte(c.in[i : i+1])))
		}
		if got := b.String() + f.End(); got != c.want {
			t.Errorf("%s, byte by byte: %q, want %q", name, got, c.want)
		}
	}
}

// A log without an end must not be held back without an end.
func TestHeldBackIsBounded(t *testing.T) {
	var f Filter
	out := 0
	for range 1000 {
		out += len(f.Add([]byte(strings.Repeat("x", 1000))))
		if held := len(f.words.held); held > maxHeld+1000 {
			t.Fatalf("%d bytes are held back", held)
		}
	}
	if out+len(f.End()) != 1_000_000 {
		t.Errorf("%d of 1000000 bytes came out", out)
	}
}

func FuzzFilter(f *testing.F) {
	f.Add([]byte("a\x1b[31mb\r\n\xe2\x82\xac ghp_"+strings.Repeat("a", 30)), 3)
	f.Add([]byte("-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n\x1b]0;t\x07"), 7)
	f.Fuzz(func(t *testing.T, log []byte, cut int) {
		if len(log) > 4000 {
			return // longer words may be let go where a piece ends
		}
		whole := Clean(log)
		for _, r := range whole {
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
				t.Fatalf("%q gives %q, which has %U", log, whole, r)
			}
		}
		if !utf8.ValidString(whole) || credentials.MatchString(whole) {
			t.Fatalf("%q gives %q", log, whole)
		}
		if cut = min(max(cut, 0), len(log)); len(log) > 0 {
			var x Filter
			if got := x.Add(log[:cut]) + x.Add(log[cut:]) + x.End(); got != whole {
				t.Fatalf("cut at %d: %q, whole %q", cut, got, whole)
			}
		}
	})
}
