package openapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/outside"
	"github.com/gatebot/gatebot/webhook/standin/openapi"
)

// TestValidatorCanFail plants mistakes: a validator that lets them through proves nothing elsewhere.
func TestValidatorCanFail(t *testing.T) {
	d, err := openapi.Load(outside.OpenAPI(t))
	if err != nil {
		t.Fatal(err)
	}
	const runs = "/repos/o/r/check-runs"
	const sha = `"name":"gatebot","head_sha":"0123456789012345678901234567890123456789"`
	for _, c := range []struct {
		name, method, path, body string
		want                     string // part of the violation, empty for none
	}{
		{"good", "POST", runs, `{` + sha + `,"conclusion":"failure"}`, ""},
		{"unknown conclusion", "POST", runs, `{` + sha + `,"conclusion":"broken"}`, "conclusion"},
		{"missing name", "POST", runs, `{"head_sha":"0123456789012345678901234567890123456789"}`, "name"},
		{"misspelled field", "POST", runs, `{` + sha + `,"externalid":"1"}`, "externalid"},
		{"wrong type", "POST", runs, `{` + sha + `,"output":{"title":1,"summary":"s"}}`, "title"},
		{"unknown path", "POST", "/repos/o/r/check-run", `{}`, "not in the description"},
		{"wrong method", "PUT", runs, `{` + sha + `}`, "not in the description"},
		{"parameter out of range", "GET", "/repos/o/r/commits/main/check-runs?filter=newest", "", "filter"},
		{"not a number", "PATCH", runs + "/abc", `{}`, "check_run_id"},
		{"ref with slashes", "GET", "/repos/o/r/git/ref/heads/gatebot/fix-log", "", ""},
		{"graphql is exempt", "POST", "/graphql", `{"nonsense":1}`, ""},
	} {
		v := d.NewValidator()
		passed := ""
		next := http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
			b := make([]byte, len(c.body))
			_, _ = req.Body.Read(b)
			passed = string(b)
		})
		req := httptest.NewRequestWithContext(t.Context(), c.method, c.path, strings.NewReader(c.body))
		req.Header.Set("Content-Type", "application/json")
		v.Around(false)(next).ServeHTTP(httptest.NewRecorder(), req)
		got := v.Violations()
		switch {
		case c.want == "" && len(got) > 0:
			t.Errorf("%s: %v, want no violation", c.name, got)
		case c.want != "" && len(got) == 0:
			t.Errorf("%s: no violation, want one about %s", c.name, c.want)
		case c.want != "" && !strings.Contains(got[0].String(), c.want):
			t.Errorf("%s: %v, want one about %s", c.name, got[0], c.want)
		}
		if passed != c.body {
			t.Errorf("%s: the handler behind got body %q, want %q", c.name, passed, c.body)
		}
	}
	if err := d.WebhookEvent(t.Context(), "push", []byte(`{"ref":"refs/heads/main"}`)); err == nil {
		t.Error("a push payload with one field is taken as valid")
	}
	if err := d.WebhookEvent(t.Context(), "no-such-event", []byte(`{}`)); err == nil {
		t.Error("an event without a description is taken as valid")
	}
	if _, err := openapi.Load([]byte("{")); err == nil {
		t.Error("half a description is loaded")
	}
}
