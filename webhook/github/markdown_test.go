package github

import "testing"

func TestProse(t *testing.T) {
	for in, want := range map[string]string{
		"`.item()` waits":        "`.item()` waits",
		"a * b | `x|y` <b>":      "a \\* b \\| `x\\|y` &lt;b&gt;",
		"odd ` tick":             "odd \\` tick",
		"empty `` span":          "empty \\`\\` span",
		"":                       "–",
		"two `a` and `b`\nlines": "two `a` and `b` lines",
	} {
		if got := prose(in); got != want {
			t.Errorf("prose(%q) = %q, want %q", in, got, want)
		}
	}
}
