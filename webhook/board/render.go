package board

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// page is one page: the name of its template and what it shows. A live page looks again by itself.
type page struct {
	Name, Title string
	Live        bool
	Charts      bool   // it has some
	Refresh     int    // s after which a browser without script loads it again; 0: never
	Back        string // address of the list that it belongs to, "" for none
	In          bool   // somebody is in, and can go to other pages
	Login       string // who
	Data        any
}

// templates are made for the first page: most runs of the program show none.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(functions).ParseFS(assets, "assets/*.html"))
})

var functions = template.FuncMap{
	"short": short,
	"ago":   Ago,
	"json": func(v any) (template.JS, error) {
		data, err := json.Marshal(v) // escapes <, > and &
		return template.JS(data), err
	},
	"stamp": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"day":   func(t time.Time) string { return t.UTC().Format(time.DateOnly) },
	"unix":  func(s int64) string { return time.Unix(s, 0).UTC().Format("2006-01-02 15:04") },
	"add":   func(a, b int) int { return a + b },
	"word":  word,
	"glyph": glyph,
	"list":  func(s []string) string { return strings.Join(s, ", ") },
	"query": query,
	"spans": spans,
	"asset": assetURL,
}

func short(s string) string { return s[:min(len(s), 9)] }

// render writes a page, whole or not at all. Status 0: the status was written.
func (b *Board) render(w http.ResponseWriter, status int, p page) {
	var out bytes.Buffer
	if err := templates().ExecuteTemplate(&out, "page", p); err != nil {
		b.Log.Error("board", "page", p.Name, "error", err)
		http.Error(w, "gatebot: this page could not be made", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if status > 0 {
		w.WriteHeader(status)
	}
	_, _ = w.Write(out.Bytes()) // the asker may be gone
}

// Ago is a time as a reader wants it.
func Ago(now, t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	d := now.Sub(t)
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}

// word is a state as a reader says it.
func word(state string) string {
	switch state {
	case "":
		return "unknown"
	case "action_required":
		return "needs approval"
	case "timed_out":
		return "timed out"
	}
	return state
}

// glyph tells states apart without colour.
func glyph(state string) string {
	switch state {
	case "success", "fixed", "idle", "done", "pass":
		return "✓"
	case "failure", "regressed", "quarantined", "fail":
		return "✕"
	case "running", "busy":
		return "▸"
	case "waiting":
		return "…"
	case "timed_out", "action_required", "silent", "error":
		return "!"
	}
	return "–"
}

// query writes pairs of names and values as the query of an address, without the empty ones.
func query(pairs ...string) template.URL {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
	return template.URL("?" + v.Encode()) // escaped by Encode
}

// span is a piece of a text; what stands between backticks is code.
type span struct {
	Text string
	Code bool
}

func spans(text string) []span {
	var out []span
	for i, part := range strings.Split(text, "`") {
		if part != "" {
			out = append(out, span{part, i%2 == 1})
		}
	}
	return out
}
