package e2e

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/webhook/standin"
)

// TestDoctorAsksGitHub: the App's set-up, what did not arrive, and a required check that anybody can forge.
func TestDoctorAsksGitHub(t *testing.T) {
	t.Parallel()
	s := newSite(t, standin.Options{})
	s.commit("main", "Start", 0)
	s.delivered()
	s.server()
	doctor := func() map[string]string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), gatebot, "doctor", "--json", "--serve", s.File("serve.yaml"),
			"--only", "github-app,github-deliveries,required-check,server-live").Output()
		var report struct {
			Checks []struct {
				Name   string `json:"check"`
				Status string `json:"status"`
				What   string `json:"what"`
				More   []string
			} `json:"checks"`
		}
		if jerr := json.Unmarshal(out, &report); jerr != nil {
			t.Fatalf("%v, %v: %s", err, jerr, out)
		}
		got := map[string]string{}
		for _, c := range report.Checks {
			got[c.Name] = c.Status + " " + c.What + " " + strings.Join(c.More, " ")
		}
		return got
	}
	want := func(got map[string]string, name, text string) {
		t.Helper()
		if !strings.Contains(got[name], text) {
			t.Errorf("%s: %q, want %q", name, got[name], text)
		}
	}
	got := doctor()
	want(got, "github-app", "ok App gatebot")
	want(got, "github-deliveries", "ok ")
	want(got, "server-live", "ok ")
	want(got, "required-check", `"gatebot" is not required on main`)
	s.Repo.Require("main", "gatebot", 0)
	want(doctor(), "required-check", "anybody with write access can forge it")
	s.Repo.Require("main", "gatebot", 1)
	want(doctor(), "required-check", `ok "gatebot" is required and pinned in 1 repositories`)
}
