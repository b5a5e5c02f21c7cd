package readiness

import (
	"fmt"
	"strings"
)

// Block is a piece of a section: a sentence, and below it a table or fixes. What is not set is not there.
type Block struct {
	Text  string // from data: anything may stand in it
	Note  string // of ours instead, with code between backticks
	Head  []string
	Rows  [][]string
	Fixes []Fix // the newest first
	More  int   // fixes that are not listed
}

// markdown writes blocks as a document has them.
func markdown(blocks []Block) string {
	var parts []string
	for _, b := range blocks {
		if b.Note != "" {
			parts = append(parts, b.Note+"\n")
		}
		if b.Text != "" {
			parts = append(parts, cell(b.Text)+"\n")
		}
		if len(b.Head) > 0 {
			parts = append(parts, table(b.Head, b.Rows))
		}
		if len(b.Fixes) > 0 {
			parts = append(parts, fixes(b))
		}
	}
	return strings.Join(parts, "\n")
}

func fixes(b Block) string {
	var out strings.Builder
	for _, f := range b.Fixes {
		out.WriteString("- " + short(f.Commit) + " " + cell(f.Description))
		if f.Regressed {
			out.WriteString(" (it came back)")
		}
		out.WriteString("\n")
	}
	if b.More > 0 {
		fmt.Fprintf(&out, "- and %d more in the fix log\n", b.More)
	}
	return out.String()
}
