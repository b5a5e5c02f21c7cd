package github

import "strings"

// Findings quote the code under test, so everything of theirs is data here: it must not become Markdown, HTML, a
// mention or another table column.

// escaper disarms what Markdown and HTML act on. A zero-width space after @ keeps names from being notified.
var escaper = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "\\|", "\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_",
	"[", "\\[", "]", "\\]", "!", "\\!", "#", "\\#", "~", "\\~", "@", "@\u200b",
)

// text is plain text on one line.
func text(s string) string { return escaper.Replace(strings.Join(strings.Fields(s), " ")) }

// cell is text that is never empty, for tables.
func cell(s string) string {
	if s = text(s); s == "" {
		return "–"
	}
	return s
}

// prose is cell for a message of ours: what it quotes between backticks becomes a code span, the rest is text. A quoted
// text with a backtick in it leaves an odd number of them; then all of it is text.
func prose(s string) string {
	pieces := strings.Split(strings.Join(strings.Fields(s), " "), "`")
	if len(pieces)%2 == 0 {
		return cell(s)
	}
	var b strings.Builder
	for i, p := range pieces {
		switch {
		case i%2 == 0:
			b.WriteString(escaper.Replace(p))
		case p == "":
			return cell(s)
		default:
			b.WriteString(code(p))
		}
	}
	if b.Len() == 0 {
		return "–"
	}
	return b.String()
}

// code is a code span in a table cell: the fence is longer than any run of backticks inside, and GitHub's tables want
// the bar escaped even there.
func code(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if s == "" {
		return "–"
	}
	longest, run := 0, 0
	for _, r := range s {
		if r == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	fence, pad := strings.Repeat("`", longest+1), ""
	if longest > 0 {
		pad = " "
	}
	return fence + pad + strings.ReplaceAll(s, "|", "\\|") + pad + fence
}
