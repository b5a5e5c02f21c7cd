package fixlog

import "strings"

// split cuts a row into its cells. In Markdown the outer pipes are optional and \| is no separator.
func (f form) split(t string) []string {
	if !f.pipes {
		return strings.Split(t, "\t")
	}
	t = strings.TrimSpace(t)
	t = strings.TrimPrefix(t, "|")
	if strings.HasSuffix(t, "|") && !strings.HasSuffix(t, `\|`) {
		t = t[:len(t)-1]
	}
	var cells []string
	start := 0
	for i := 0; i < len(t); i++ {
		switch t[i] {
		case '\\':
			i++
		case '|':
			cells = append(cells, t[start:i])
			start = i + 1
		}
	}
	return append(cells, t[start:])
}

// markdown keeps a text from being read as markup: cell borders, emphasis (`__call__`), HTML comments (our markers).
var (
	markdown = strings.NewReplacer(`\`, `\\`, "|", `\|`, "__", `\_\_`, "*", `\*`, "<", "&lt;", "`", "\\`")
	plain    = strings.NewReplacer(`\\`, `\`, `\|`, "|", `\_`, "_", `\*`, "*", "&lt;", "<", "\\`", "`")
)

func (f form) escape(s string) string {
	s = oneLine(s)
	if f.pipes {
		return markdown.Replace(s)
	}
	return s
}

func (f form) unescape(s string) string {
	if f.pipes {
		return plain.Replace(s)
	}
	return s
}

// write makes a row, without its line ending.
func (f form) write(commit, description string) string {
	cells := make([]string, f.columns)
	cells[f.commit], cells[f.description] = commit, f.escape(description)
	if f.pipes {
		return "| " + strings.Join(cells, " | ") + " |"
	}
	return strings.Join(cells, "\t")
}

// markdownTable is the form of a table that gatebot begins itself.
var markdownTable = form{pipes: true, columns: 2, commit: 0, description: 1}

func tableHead(eol string) string {
	return "| Commit | Description |" + eol + "|---|---|" + eol
}
