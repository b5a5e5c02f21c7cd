package fixlog

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// The markers between which the table lies in a document that gatebot made or was told about.
const (
	BeginMarker = "<!-- gatebot:fixlog:begin -->"
	EndMarker   = "<!-- gatebot:fixlog:end -->"
)

// DefaultHeading is the heading of the log when nothing else is configured.
const DefaultHeading = "Violation Fix Log"

// document is a file cut into lines, with the lines of the table found in it. Every line keeps its own ending, so
// that what is not changed comes out byte for byte.
type document struct {
	lines []string // each with its ending; only the last may have none
	eol   string   // what the document ends its lines with

	markers    bool
	begin, end int // markers: the lines after begin and before end; else where a table goes below the heading
	heading    int // line of the heading, -1 when there is none
	header     int // line of the table's header, -1 when there is no table yet
	rows       []docRow
	form       form
	after      int // line after the table's last
}

// docRow is one row of an existing table.
type docRow struct {
	line                int
	commit, description string
	written             string // the commit as the row spells it
	code                bool   // it is in backticks
}

// form is how a table is written.
type form struct {
	pipes       bool // Markdown; else columns are separated by tabs
	columns     int
	commit      int // index of the column
	description int
}

// parse finds the table: between the markers when there are any, else below the heading.
func parse(data []byte, heading string) (*document, error) {
	d := &document{lines: strings.SplitAfter(string(data), "\n"), eol: "\n", heading: -1, header: -1}
	if n := len(d.lines); d.lines[n-1] == "" {
		d.lines = d.lines[:n-1]
	}
	if len(d.lines) > 0 && strings.HasSuffix(d.lines[0], "\r\n") {
		d.eol = "\r\n"
	}
	if err := d.findMarkers(); err != nil {
		return nil, err
	}
	if !d.markers {
		d.findHeading(heading)
	}
	if d.markers || d.heading >= 0 {
		d.findTable()
	}
	return d, nil
}

func (d *document) text(i int) string { return strings.TrimRight(d.lines[i], "\r\n") }

func (d *document) findMarkers() error {
	begin, end := -1, -1
	for i := range d.lines {
		switch strings.TrimSpace(d.text(i)) {
		case BeginMarker:
			if begin >= 0 {
				return fmt.Errorf("fix log document: line %d: a second %s (keep one)", i+1, BeginMarker)
			}
			begin = i
		case EndMarker:
			if end >= 0 || begin < 0 {
				return fmt.Errorf("fix log document: line %d: %s with no begin before it", i+1, EndMarker)
			}
			end = i
		}
	}
	if begin >= 0 && end < 0 {
		return fmt.Errorf("fix log document: line %d: %s with no end after it", begin+1, BeginMarker)
	}
	if begin >= 0 {
		d.markers, d.begin, d.end = true, begin+1, end
	}
	return nil
}

// findHeading looks for a Markdown heading of any level, or a line of nothing but the heading's text. Fenced code is
// not looked at. The last one counts: an earlier one may be a table of contents.
func (d *document) findHeading(heading string) {
	fenced := false
	for i := range d.lines {
		t := strings.TrimSpace(d.text(i))
		if strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~") {
			fenced = !fenced
		}
		title := strings.TrimSpace(strings.Trim(strings.TrimSpace(strings.TrimLeft(t, "#")), "*"))
		if !fenced && strings.EqualFold(title, heading) {
			d.heading = i
		}
	}
	d.begin, d.end = d.heading+1, len(d.lines)
}

// findTable reads the first table of the region. Below a heading nothing but blank lines may stand before it: a table
// further down is another one.
func (d *document) findTable() {
	for i := d.begin; i < d.end; i++ {
		t := d.text(i)
		if f, ok := headerForm(t); ok {
			d.header, d.form = i, f
			d.readRows(i + 1)
			return
		}
		if !d.markers && strings.TrimSpace(t) != "" {
			return
		}
	}
}

func headerForm(t string) (form, bool) {
	f := form{commit: -1, description: -1, pipes: strings.Contains(t, "|")}
	if !f.pipes && !strings.Contains(t, "\t") {
		return f, false
	}
	cells := f.split(t)
	f.columns = len(cells)
	for i, c := range cells {
		switch strings.ToLower(strings.Trim(strings.TrimSpace(c), "*`")) {
		case "commit":
			f.commit = i
		case "description":
			f.description = i
		}
	}
	return f, f.commit >= 0 && f.description >= 0
}

var ruler = regexp.MustCompile(`^[\s|:-]+$`)

func (d *document) readRows(from int) {
	d.after = from
	for i := from; i < d.end; i++ {
		t := d.text(i)
		if d.form.pipes && i == from && ruler.MatchString(t) {
			d.after = i + 1
			continue
		}
		cells := d.form.split(t)
		if strings.TrimSpace(t) == "" || len(cells) < 2 {
			return
		}
		r := docRow{line: i}
		if d.form.commit < len(cells) {
			r.written, r.code = commitOf(cells[d.form.commit])
			r.commit = strings.ToLower(r.written)
		}
		if d.form.description < len(cells) {
			r.description = d.form.unescape(strings.TrimSpace(cells[d.form.description]))
		}
		d.rows = append(d.rows, r)
		d.after = i + 1
	}
}

var hexID = regexp.MustCompile(`\b[0-9a-fA-F]{7,64}\b`)

// commitOf finds the id in a cell such as "a9ea303", "`a9ea303`" or "[a9ea303](https://…)".
func commitOf(cell string) (id string, code bool) {
	return hexID.FindString(cell), strings.Contains(cell, "`")
}

// ErrNoTable means that a document has no log to read.
var ErrNoTable = errors.New("no fix log table in the document")
