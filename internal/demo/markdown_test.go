package demo

import (
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestPlain(t *testing.T) {
	const markdown = "### Findings\n\n| | Rule | What |\n|---|---|---:|\n| **error** | GB101 | \\`a \\| b\\` |\n| x | é | y |\n| z | é | y |\n\n```\ngit fetch\n```\n<sub>note</sub>\na line that is longer than the width\n"
	want := []string{
		"Findings",
		"       Rule   What",
		"error  GB101  `a | b`",
		"x, z   é      y",
		"git fetch",
		"note",
		"a line that is longer…",
	}
	if d := cmp.Diff(want, plain(markdown, 22)); d != "" {
		t.Error(d)
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("| a | b |\n|---|---|\n| c |\n", 10)
	f.Fuzz(func(t *testing.T, markdown string, width int) {
		width = max(width%200, 2)
		for _, line := range plain(markdown, width) {
			if utf8.ValidString(markdown) && utf8.RuneCountInString(line) > width {
				t.Errorf("%q is longer than %d", line, width)
			}
		}
	})
}
