package report

import (
	"crypto/sha256"
	_ "embed" // the page's own style and script
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"
)

//go:embed assets/report.html
var pageText string

//go:embed assets/report.css
var style string

//go:embed assets/report.js
var script string

// policy lets the page use its own style and script and nothing else: not even a hole in the escaping could load or send
// anything.
var policy = "default-src 'none'; img-src data:; style-src " + hash(style) + "; script-src " + hash(script) + "; base-uri 'none'; form-action 'none'"

// Policy is the Content-Security-Policy of the page, for a server that sends it.
func Policy() string { return policy }

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// page is made for the first report: most runs of the program write none.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("report").Funcs(functions).Parse(pageText))
})

var functions = template.FuncMap{
	"style":  func() template.CSS { return template.CSS(style) },
	"script": func() template.JS { return template.JS(script) },
	"policy": func() string { return policy },
	"svg":    func(t *Timeline) template.HTML { return template.HTML(t.svg()) },
	"data":   func(t *Timeline) (template.JS, error) { return t.data() },
	"axis":   func(t *Timeline) []Tick { return t.ticks() },
	"num":    number,
	"micros": micros,
	"glyph":  glyph,
	"spoken": spoken,
	"lanes":  func() [laneCount]string { return LaneNames },
	"pct":    func(v, of float64) string { return fmt.Sprintf("%.3f", 100*v/of) },
	"add":    func(a, b int) int { return a + b },
	"dots":   dots,
	"spans":  spans,
	"plural": plural,
}

// Render writes the page.
func Render(w io.Writer, p *Page) error {
	if err := page().Execute(w, p); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// glyph tells states apart without colour.
func glyph(status any) string {
	switch fmt.Sprint(status) {
	case "pass":
		return "✓"
	case "fail":
		return "✕"
	case "error", "no verdict":
		return "!"
	}
	return "–"
}

// spoken is a status as a reader says it.
func spoken(status any) string {
	switch s := fmt.Sprint(status); s {
	case "not_run":
		return "not run"
	case "error":
		return "no result"
	case "":
		return "nothing said"
	default:
		return s
	}
}

// svg draws the calls. Only numbers that we computed are written, never a text of the run. Shapes that look alike share
// one path: a browser draws a path of 2,500 rectangles in the time of a few elements.
func (t *Timeline) svg() string {
	var b strings.Builder
	paths := map[string]*strings.Builder{}
	order := []string{}
	put := func(class string, x, y, w, h float64) {
		p := paths[class]
		if p == nil {
			p = &strings.Builder{}
			paths[class] = p
			order = append(order, class)
		}
		fmt.Fprintf(p, "M%.2f %.0fh%.2fv%.0fh-%.2fz", x, y, w, h, w)
	}
	for _, m := range t.Marks {
		class := [laneCount]string{"launch", "copy", "wait", "other"}[m.Lane]
		y := float64(m.Lane * laneHeight)
		if m.Violation {
			put("bad", m.At, y+2, max(m.Dur, t.Length/900), laneHeight-4)
			continue
		}
		put(class, m.At, y+4, max(m.Dur, t.Length/4000), laneHeight-8)
	}
	for _, class := range order {
		if class != "bad" {
			fmt.Fprintf(&b, `<path class="%s" d="%s"/>`, class, paths[class])
		}
	}
	if p := paths["bad"]; p != nil { // above everything else
		fmt.Fprintf(&b, `<path class="bad" d="%s"/>`, p)
	}
	return b.String()
}

// laneHeight is the height of a lane in the units of the drawing, which are pixels.
const laneHeight = 26

// Height is the height of the drawing.
func (t *Timeline) Height() int { return laneCount * laneHeight }

// LaneHeight is the height of one lane.
func (t *Timeline) LaneHeight() int { return laneHeight }

// data is what the script needs to name the call under the pointer. Strings of the run pass through encoding/json, which
// escapes <, > and &.
func (t *Timeline) data() (template.JS, error) {
	type row = [6]any
	rows := make([]row, len(t.Marks))
	for i, m := range t.Marks {
		bad := 0
		if m.Violation {
			bad = 1
		}
		rows[i] = row{m.Lane, json.Number(fmt.Sprintf("%.1f", m.At)), json.Number(fmt.Sprintf("%.1f", m.Dur)), m.Label, bad, strings.TrimSpace(m.Region + "\n" + m.Place)}
	}
	out, err := json.Marshal(map[string]any{"length": t.Length, "marks": rows, "labels": t.Labels})
	if err != nil {
		return "", fmt.Errorf("report: the time line: %w", err)
	}
	return template.JS(out), nil
}

// Tick is one number on the axis.
type Tick struct{ At, Text string }

func (t *Timeline) ticks() []Tick {
	step := 1.0
	for t.Length/step > 8 {
		switch {
		case t.Length/(step*2) <= 8:
			step *= 2
		case t.Length/(step*5) <= 8:
			step *= 5
		default:
			step *= 10
		}
	}
	var out []Tick
	for v := 0.0; v <= t.Length; v += step {
		text := number(v) + " µs"
		if t.Length > 5000 {
			text = number(v/1000) + " ms"
		}
		out = append(out, Tick{fmt.Sprintf("%.3f", 100*v/t.Length), text})
	}
	return out
}

// dots are the samples of a series as one path, each a short stroke; y spreads them so that equal ones are seen.
func dots(s *Speed, x Series) template.HTMLAttr {
	var b strings.Builder
	for i, v := range x.Samples {
		fmt.Fprintf(&b, "M%s %dv3", s.X(v), 3+(i*7)%20)
	}
	return template.HTMLAttr(`d="` + b.String() + `"`)
}

// span is a piece of a message; what stands between backticks is code.
type span struct {
	Text string
	Code bool
}

func spans(message string) []span {
	var out []span
	for i, part := range strings.Split(message, "`") {
		if part != "" {
			out = append(out, span{part, i%2 == 1})
		}
	}
	return out
}
