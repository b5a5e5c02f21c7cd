package standin

import (
	"net/http"
	"strings"
	"testing"
)

func TestPagesForPeople(t *testing.T) {
	w := newWorld(t, Options{})
	head := w.commit("topic", "Change", "a.py", "a = 1\n")
	if _, err := w.repo.OpenPull(t.Context(), w.alice, NewPull{Title: "Faster <b>experts</b>", Head: "topic"}); err != nil {
		t.Fatal(err)
	}
	id := w.newRun(map[string]any{"head_sha": head, "conclusion": "failure",
		"output": map[string]any{"title": "1 violation", "summary": "S", "annotations": []any{annotation(nil)}}})
	for path, want := range map[string]string{
		"/": "Faster &lt;b&gt;experts", "/acme/kernels/pull/1": "1 violation",
		strings.TrimPrefix(w.runPath(id), "/repos"): "", "/acme/kernels/runs/1": "",
	} {
		got, err := w.do("", "GET", strings.Replace(path, "check-runs", "runs", 1), nil)
		if err != nil {
			t.Fatal(err)
		}
		missing := path == "/acme/kernels/runs/1"
		if missing != (got.status == http.StatusNotFound) || !strings.Contains(string(got.body), want) {
			t.Errorf("%s: %d %s, want %q", path, got.status, got.body, want)
		}
	}
	if n := len(w.s.Requests()); n != 2 { // the token and the run
		t.Errorf("%d API requests, want 2: pages are none", n)
	}
}
