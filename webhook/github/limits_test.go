package github

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTruncate(t *testing.T) {
	const note = "\n(cut)"
	long := strings.Repeat("word ", 40)
	for _, tc := range []struct {
		name, in string
		limit    int
		want     string // suffix
	}{
		{"short stays", "hello", 5, "hello"},
		{"note ends it", long, 60, note},
		{"runes stay whole", strings.Repeat("é", 100), 61, note},
		{"open fence is closed", "intro\n```python\n" + strings.Repeat("x = 1\n", 40), 80, "\n```" + note},
		{"long fence is closed with its own length", "~~~~~~\n" + strings.Repeat("y\n", 90), 80, "\n~~~~~~" + note},
		{"closed fence stays closed", "```\na\n```\n" + strings.Repeat("text\n", 40), 80, "text" + note},
		{"no room but for the note", long, 4, "\n(cu"},
	} {
		got := Truncate(tc.in, tc.limit, note)
		if len(got) > tc.limit {
			t.Errorf("%s: %d bytes, limit %d", tc.name, len(got), tc.limit)
		}
		if !utf8.ValidString(got) {
			t.Errorf("%s: cut inside a rune: %q", tc.name, got)
		}
		if !strings.HasSuffix(got, tc.want) {
			t.Errorf("%s: %q does not end in %q", tc.name, got, tc.want)
		}
	}
}

func FuzzTruncate(f *testing.F) {
	f.Add("```go\nfunc f() {}\n```\n", 20)
	f.Add("~~~~\né\n~~~", 12)
	f.Add(strings.Repeat("`", 50), 40)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = 1 + (limit&0x7fffffff)%500
		got := Truncate(s, limit, "\n(cut)")
		if len(got) > limit {
			t.Fatalf("%d bytes, limit %d", len(got), limit)
		}
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Fatalf("cut inside a rune: %q", got)
		}
		if len(s) > limit && limit > 100 && openFence(got) != "" {
			t.Fatalf("fence %q left open: %q", openFence(got), got)
		}
	})
}

func TestActionsAreChecked(t *testing.T) {
	ok := Action{Label: "Approve this SHA", Description: "Run the GPU checks on it", Identifier: "approve"}
	long := ok
	long.Label = strings.Repeat("x", MaxActionLabel+1)
	empty := ok
	empty.Identifier = ""
	for _, tc := range []struct {
		name string
		in   []Action
		bad  bool
	}{
		{"three", []Action{ok, ok, ok}, false},
		{"four", []Action{ok, ok, ok, ok}, true},
		{"label too long", []Action{long}, true},
		{"no identifier", []Action{empty}, true},
	} {
		if err := checkActions(tc.in); (err != nil) != tc.bad {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

func TestMarkdownIsData(t *testing.T) {
	for in, want := range map[string]string{
		"a|b":              `a\|b`,
		"<img src=x>":      "&lt;img src=x&gt;",
		"ping @team":       "ping @\u200bteam",
		"[x](http://evil)": `\[x\](http://evil)`,
		"two\nlines":       "two lines",
		"":                 "–",
	} {
		if got := cell(in); got != want {
			t.Errorf("cell(%q) = %q, want %q", in, got, want)
		}
	}
	if got, want := code("a`b|c"), "`` a`b\\|c ``"; got != want {
		t.Errorf("code: %q, want %q", got, want)
	}
}
