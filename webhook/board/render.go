package board

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"time"
)

// page is one page: the name of its template and what it shows. A live page looks again by itself.
type page struct {
	Name, Title string
	Live        bool
	Data        any
}

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"short": func(s string) string { return s[:min(len(s), 9)] },
	"ago":   ago,
	"json": func(v any) (template.JS, error) {
		data, err := json.Marshal(v) // escapes <, > and &
		return template.JS(data), err
	},
	"stamp": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"unix":  func(s int64) string { return time.Unix(s, 0).UTC().Format("2006-01-02 15:04") },
	"add":   func(a, b int) int { return a + b },
}).ParseFS(assets, "assets/board.html"))

// render writes a page, whole or not at all.
func (b *board) render(w http.ResponseWriter, p page) {
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, "page", p); err != nil {
		b.Log.Error("board", "page", p.Name, "error", err)
		http.Error(w, "gatebot: this page could not be made", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(out.Bytes()) // the asker may be gone
}

// ago is a time as a reader wants it.
func ago(now, t time.Time) string {
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
