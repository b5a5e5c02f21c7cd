package fixlog

import (
	"regexp"
	"slices"
	"strings"
)

// Merge renders the ledger into a document: every row of the ledger that the document does not have is inserted where
// history has it, a row that has regressed says so, and all else stays byte for byte: text around the table, rows
// that people wrote, descriptions that they changed (a row belongs to its commit, whatever it says). The table is the
// one between the markers, else the one below heading (empty means DefaultHeading); with neither, it is made: below
// the heading, or at the end. Merge of its own result changes nothing.
func Merge(existing []byte, l *Ledger, heading string) ([]byte, error) {
	if heading == "" {
		heading = DefaultHeading
	}
	d, err := parse(existing, heading)
	if err != nil {
		return nil, err
	}
	rows := l.Rows()
	if d.header < 0 {
		if len(rows) == 0 {
			return existing, nil
		}
		d.makeTable(heading)
	}
	d.follow(l.successors())
	d.markRegressed(rows)
	d.insert(rows)
	return []byte(strings.Join(d.lines, "")), nil
}

// Render is the log as a document of its own.
func Render(l *Ledger, heading string) []byte {
	out, err := Merge(nil, l, heading)
	if err != nil {
		return nil // an empty document has no markers to be wrong
	}
	return out
}

// makeTable adds an empty table: in the markers, below the heading, or with both at the end of the document.
func (d *document) makeTable(heading string) {
	var add []string
	at := d.end
	switch {
	case d.markers:
		add = []string{tableHead(d.eol)}
	case d.heading >= 0:
		at = d.heading + 1
		add = []string{d.eol, BeginMarker + d.eol, tableHead(d.eol), EndMarker + d.eol}
		if at < len(d.lines) && strings.TrimSpace(d.text(at)) != "" {
			add = append(add, d.eol)
		}
	default:
		at = len(d.lines)
		if at > 0 {
			add = append(add, d.eol)
		}
		add = append(add, "## "+heading+d.eol, d.eol, BeginMarker+d.eol, tableHead(d.eol), EndMarker+d.eol)
	}
	if at > 0 && !strings.HasSuffix(d.lines[at-1], "\n") {
		d.lines[at-1] += d.eol
	}
	// The two lines of the table's head become two entries, so that every entry is one line.
	var lines []string
	for _, a := range add {
		lines = append(lines, strings.SplitAfter(a, "\n")...)
	}
	lines = slices.DeleteFunc(lines, func(s string) bool { return s == "" })
	d.lines = slices.Insert(d.lines, at, lines...)
	d.form = markdownTable
	for i := at; i < at+len(lines); i++ {
		if ruler.MatchString(d.text(i)) && strings.Contains(d.text(i), "|") {
			d.header, d.after = i-1, i+1
		}
	}
}

// follow gives the rows of commits that a rewrite of history replaced their new ids, and leaves the rest of the row.
func (d *document) follow(next map[string]string) {
	for i := range d.rows {
		r := &d.rows[i]
		for old, now := range next {
			taken := slices.ContainsFunc(d.rows, func(x docRow) bool { return sameCommit(x.commit, now) })
			if !sameCommit(r.commit, old) || taken {
				continue
			}
			id := now[:min(len(now), len(r.commit))]
			d.lines[r.line] = strings.NewReplacer(old, now, r.written, id).Replace(d.lines[r.line])
			r.commit, r.written = id, id
			break
		}
	}
}

var regressedNote = regexp.MustCompile(` \(regressed in [0-9a-f]{7}\)$`)

// markRegressed appends the note to rows that have none.
func (d *document) markRegressed(rows []Row) {
	for i := range d.rows {
		r := &d.rows[i]
		at := slices.IndexFunc(rows, func(x Row) bool { return sameCommit(x.Commit, r.commit) })
		if at < 0 || rows[at].RegressedIn == "" || regressedNote.MatchString(r.description) {
			continue
		}
		d.lines[r.line] = d.form.replaceDescription(d.lines[r.line], note(rows[at]))
	}
}

func note(r Row) string { return " (regressed in " + short(r.RegressedIn) + ")" }

// replaceDescription puts the note after the description and touches nothing else of the line.
func (f form) replaceDescription(line, note string) string {
	end := 0
	for i, cell := range f.cellSpans(line) {
		if i == f.description {
			end = cell[0] + len(strings.TrimRight(line[cell[0]:cell[1]], " \t\r\n"))
		}
	}
	return line[:end] + note + line[end:]
}

// cellSpans are the byte ranges of the cells of a line.
func (f form) cellSpans(line string) [][2]int {
	var spans [][2]int
	at := 0
	body := strings.TrimRight(line, "\r\n")
	if f.pipes {
		lead := len(body) - len(strings.TrimLeft(body, " \t"))
		if strings.HasPrefix(body[lead:], "|") {
			at = lead + 1
		}
	}
	start := at
	for i := at; i < len(body); i++ {
		switch {
		case f.pipes && body[i] == '\\':
			i++
		case f.pipes && body[i] == '|' || !f.pipes && body[i] == '\t':
			spans = append(spans, [2]int{start, i})
			start = i + 1
		}
	}
	return append(spans, [2]int{start, len(body)})
}

// insert adds the rows that are not there yet.
func (d *document) insert(rows []Row) {
	for i, r := range rows {
		if slices.ContainsFunc(d.rows, func(x docRow) bool { return sameCommit(x.commit, r.Commit) }) {
			continue
		}
		d.insertAt(d.place(rows[i+1:]), r)
	}
}

// place is the index among the document's rows: before the first that history puts later, else at the end. Rows
// that only people know of stay where they are.
func (d *document) place(later []Row) int {
	for i, x := range d.rows {
		if slices.ContainsFunc(later, func(r Row) bool { return sameCommit(x.commit, r.Commit) }) {
			return i
		}
	}
	return len(d.rows)
}

func (d *document) insertAt(i int, r Row) {
	at := d.after
	if i < len(d.rows) {
		at = d.rows[i].line
	}
	commit := short(r.Commit)
	if len(d.rows) > 0 && d.rows[max(i-1, 0)].code {
		commit = "`" + commit + "`"
	}
	description := r.Description
	if r.RegressedIn != "" {
		description += note(r)
	}
	text := d.form.write(commit, description)
	if at == len(d.lines) && !strings.HasSuffix(d.lines[at-1], "\n") {
		d.lines[at-1] += d.eol // the document ends without a line break, and goes on to
	} else {
		text += d.eol
	}
	d.lines = slices.Insert(d.lines, at, text)
	for j := i; j < len(d.rows); j++ {
		d.rows[j].line++
	}
	d.rows = slices.Insert(d.rows, i, docRow{line: at, commit: short(r.Commit), description: r.Description,
		written: short(r.Commit), code: strings.HasPrefix(commit, "`")})
	d.after++
}
