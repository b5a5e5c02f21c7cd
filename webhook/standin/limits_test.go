package standin

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestLimitsOfCheckRuns(t *testing.T) {
	w := newWorld(t, Options{ContentPerMinute: 1000})
	output := func(change map[string]any) map[string]any {
		o := map[string]any{"title": "t", "summary": "s"}
		for k, v := range change {
			o[k] = v
		}
		return map[string]any{"output": o}
	}
	annotations := func(n int, change map[string]any) map[string]any {
		list := make([]any, n)
		for i := range list {
			list[i] = annotation(change)
		}
		return output(map[string]any{"annotations": list})
	}
	action := func(label, description, identifier string) map[string]any {
		return map[string]any{"actions": []any{map[string]any{"label": label, "description": description, "identifier": identifier}}}
	}
	four := action("a", "b", "c")
	four["actions"] = []any{four["actions"].([]any)[0], four["actions"].([]any)[0], four["actions"].([]any)[0], four["actions"].([]any)[0]}
	for _, c := range []struct {
		name   string
		body   map[string]any
		refuse string // part of GitHub's message; empty when it must be taken
	}{
		{"50 annotations", annotations(50, nil), ""},
		{"51 annotations", annotations(51, nil), "No more than 50 items are allowed; 51 were supplied."},
		{"summary at the limit", output(map[string]any{"summary": repeat("ä", maxText)}), ""},
		{"summary over the limit", output(map[string]any{"summary": repeat("ä", maxText+1)}), "Only 65535 characters are allowed; 65536 were supplied."},
		{"text over the limit", output(map[string]any{"text": repeat("x", maxText+1)}), "Only 65535 characters"},
		{"no title", map[string]any{"output": map[string]any{"summary": "s"}}, "title"},
		{"no summary", map[string]any{"output": map[string]any{"title": "t"}}, "summary"},
		{"button at the limit", action(repeat("l", 20), repeat("d", 40), repeat("i", 20)), ""},
		{"label too long", action(repeat("l", 21), "d", "i"), "Only 20 characters"},
		{"description too long", action("l", repeat("d", 41), "i"), "Only 40 characters"},
		{"identifier too long", action("l", "d", repeat("i", 21)), "Only 20 characters"},
		{"four buttons", four, "No more than 3 items"},
		{"completed without a conclusion", map[string]any{"status": "completed"}, "conclusion is required"},
		{"a status that is Actions' own", map[string]any{"status": "waiting"}, "not a member"},
		{"stale is GitHub's own", map[string]any{"conclusion": "stale"}, "not a member"},
		{"conclusion of an unfinished run", map[string]any{"status": "in_progress", "conclusion": "success"}, "conclusion"},
		{"end before start", annotations(1, map[string]any{"start_line": 3}), "before start_line"},
		{"line 0", annotations(1, map[string]any{"start_line": 0}), "start_line must be 1"},
		{"columns over two lines", annotations(1, map[string]any{"end_line": 3, "start_column": 1}), "one line"},
		{"column 0", annotations(1, map[string]any{"start_column": 0}), "start_column must be 1"},
		{"unknown level", annotations(1, map[string]any{"annotation_level": "error"}), "not a member"},
		{"empty message", annotations(1, map[string]any{"message": ""}), "message"},
		{"title of an annotation too long", annotations(1, map[string]any{"title": repeat("t", 256)}), "255"},
		{"message too long", annotations(1, map[string]any{"message": repeat("m", 65537)}), "64 KB"},
		{"absolute path", annotations(1, map[string]any{"path": "/step.py"}), "relative"},
	} {
		body := map[string]any{"name": "gatebot", "head_sha": w.base}
		for k, v := range c.body {
			body[k] = v
		}
		got, err := w.do(w.token, "POST", w.path("/check-runs"), body)
		switch {
		case err != nil:
			t.Fatal(err)
		case c.refuse == "" && got.status != http.StatusCreated:
			t.Errorf("%s: %d %s, want 201", c.name, got.status, got.body)
		case c.refuse != "" && (got.status != http.StatusUnprocessableEntity || !strings.Contains(string(got.body), c.refuse)):
			t.Errorf("%s: %d %s, want 422 with %q", c.name, got.status, got.body, c.refuse)
		}
	}
}

func TestAnnotationsOnlyAppendAndCreationRepeats(t *testing.T) {
	w := newWorld(t, Options{})
	batch := map[string]any{"output": map[string]any{"title": "t", "summary": "s", "annotations": []any{annotation(nil), annotation(nil)}}}
	id := w.newRun(nil)
	for range 2 {
		w.want(http.StatusOK, w.token, "PATCH", w.runPath(id), batch)
	}
	if n := len(w.s.CheckRuns()[0].Annotations); n != 4 {
		t.Errorf("%d annotations after the same batch of 2 twice, want 4", n)
	}
	if other := w.newRun(nil); other == id || len(w.s.CheckRuns()) != 2 {
		t.Errorf("the same creation again gave run %d and %d runs, want another run", other, len(w.s.CheckRuns()))
	}
	list := func(query string) float64 {
		return w.want(http.StatusOK, w.token, "GET", w.path("/commits/"+w.base+"/check-runs?check_name=gatebot"+query), nil)["total_count"].(float64)
	}
	if latest, all := list(""), list("&filter=all"); latest != 1 || all != 2 {
		t.Errorf("latest lists %v, all %v, want 1 and 2", latest, all)
	}
	if foreign := list("&filter=all&app_id=99"); foreign != 0 {
		t.Errorf("another App's runs: %v, want 0", foreign)
	}
}

func TestPagesAndLinks(t *testing.T) {
	w := newWorld(t, Options{})
	for range 5 {
		w.newRun(nil)
	}
	got, err := w.do(w.token, "GET", w.path("/commits/main/check-runs?filter=all&per_page=2&page=2"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, rel := range []string{`page=1&per_page=2>; rel="prev"`, `page=3&per_page=2>; rel="next"`, `page=3&per_page=2>; rel="last"`} {
		if !strings.Contains(got.header.Get("Link"), rel) {
			t.Errorf("Link %q lacks %q", got.header.Get("Link"), rel)
		}
	}
	if !strings.Contains(string(got.body), fmt.Sprintf(`"total_count":%d`, 5)) {
		t.Errorf("page 2 does not count all: %s", got.body)
	}
}
