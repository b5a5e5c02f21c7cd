package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/outside"
	"github.com/gatebot/gatebot/internal/rig"
	"github.com/gatebot/gatebot/webhook/standin"
	"github.com/gatebot/gatebot/webhook/standin/openapi"
)

// patience is how long anything may take on a busy machine. It is a bound for what hangs, not a measurement.
const patience = 3 * time.Minute

var (
	describe    sync.Once
	description *openapi.Description
)

// apiDescription is GitHub's own, loaded once.
func apiDescription(t *testing.T) *openapi.Description {
	t.Helper()
	data := outside.OpenAPI(t)
	var err error
	describe.Do(func() { description, err = openapi.Load(data) })
	if err != nil || description == nil {
		t.Fatalf("GitHub's description did not load: %v", err)
	}
	return description
}

// site is one gatebot with its GitHub: everything a test looks at.
type site struct {
	*testing.T
	*rig.Rig
}

// newSite sets up and starts nothing but the stand-in. At the end every request that gatebot sent must have been valid.
func newSite(t *testing.T, github standin.Options) *site {
	t.Helper()
	return newSiteWith(t, rig.Options{Standin: github})
}

func newSiteWith(t *testing.T, o rig.Options) *site {
	t.Helper()
	v := apiDescription(t).NewValidator()
	o.Dir, o.Exe, o.Standin.Around = t.TempDir(), gatebot, v.Around(false)
	if o.Standin.ContentPerMinute == 0 {
		o.Standin.ContentPerMinute = 400 // several jobs within seconds are this test's doing
	}
	r, err := rig.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t, r}
	// What happens before gatebot is there has been taken by somebody else: it is no missed event to recover.
	before := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }))
	t.Cleanup(before.Close)
	r.GitHub.SetWebhook(before.URL)
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		// What a killed process has left may still write into the directory that goes with the test.
		for deadline := time.Now().Add(time.Minute); len(running(t, r.Dir)) > 0 && time.Now().Before(deadline); {
			time.Sleep(20 * time.Millisecond)
		}
		for _, violation := range v.Violations() {
			t.Errorf("request against GitHub's description: %s", violation)
		}
		rest := 0
		for _, req := range r.GitHub.Requests() {
			if req.Path != "/graphql" {
				rest++
			}
			if req.Status == 422 || req.Status == 400 {
				t.Logf("GitHub refused: %s %s: %d", req.Method, req.Path, req.Status)
			}
		}
		// What a fault answered in the API's place never came as far as the validator.
		if n := v.Checked(); n > rest || n == 0 && rest > 0 {
			t.Errorf("%d requests validated of %d: the validator does not see the traffic", n, rest)
		}
		if t.Failed() {
			s.logs()
		}
	})
	return s
}

// logs prints what the children said.
func (s *site) logs() {
	for _, name := range []string{"serve", "runner"} {
		data, err := os.ReadFile(s.File(name + ".log"))
		if err != nil {
			continue
		}
		lines := strings.Split(strings.TrimSpace(string(data)), "\n")
		s.Logf("%s.log:\n%s", name, strings.Join(lines[max(0, len(lines)-60):], "\n"))
	}
}

// server starts gatebot serve, which gets the events from now on, and waits until it answers.
func (s *site) server(env ...string) *rig.Child {
	s.Helper()
	s.GitHub.SetWebhook(s.Webhook())
	c, err := s.StartServer(env...)
	if err != nil {
		s.Fatal(err)
	}
	s.until("gatebot serve answers", func() bool { return s.Healthy(s.Context()) })
	return c
}

// armed starts a server that is to die: it may do so before it has answered for the first time.
func (s *site) armed(env ...string) *rig.Child {
	s.Helper()
	s.GitHub.SetWebhook(s.Webhook())
	c, err := s.StartServer(env...)
	if err != nil {
		s.Fatal(err)
	}
	s.until("gatebot serve answers or dies", func() bool { return c.Dead() != nil || s.Healthy(s.Context()) })
	return c
}

func (s *site) runner(env ...string) *rig.Child {
	s.Helper()
	c, err := s.StartRunner(env...)
	if err != nil {
		s.Fatal(err)
	}
	return c
}

func (s *site) until(what string, ok func() bool) {
	s.Helper()
	start, repeated := time.Now(), time.Now()
	for !ok() {
		if time.Since(start) > patience {
			s.Fatalf("%s: did not happen within %s", what, patience)
		}
		if time.Since(repeated) > 20*time.Second {
			repeated = time.Now()
			s.repeat()
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// repeat redelivers, as an administrator would, what a server that stood still did not take in time. What found nobody at home
// is left to the server, which asks for it.
func (s *site) repeat() {
	s.Helper()
	open := map[string]bool{}
	for _, d := range s.GitHub.Deliveries() {
		open[d.GUID] = d.Done && (d.StatusCode == http.StatusServiceUnavailable || strings.Contains(d.Status, "deadline exceeded"))
	}
	for guid, failed := range open {
		if failed {
			s.Logf("redelivered: %s", guid)
			if err := s.GitHub.Redeliver(guid); err != nil {
				s.Fatal(err)
			}
		}
	}
}

// project is a decode step whose file is hot; each planted line reads a device value on the host.
const project = "import torch\n\n\nclass Decoder(torch.nn.Module):\n    def decode_step(self, x: torch.Tensor, step: int):\n        y = torch.softmax(x, dim=-1)\n"

// step is the project with n violations, and the lines they are on.
func step(n int) (file standin.Change, lines []int) {
	var b strings.Builder
	b.WriteString(project)
	first := strings.Count(project, "\n") + 1
	for i := range n {
		fmt.Fprintf(&b, "        self.best%d = y[%d].max().item()\n", i, i)
		lines = append(lines, first+i)
	}
	b.WriteString("        return y\n")
	return standin.Change{Path: "moe/decode.py", Content: []byte(b.String())}, lines
}

// commit commits the project with n violations to a branch.
func (s *site) commit(branch, message string, n int) (id string, lines []int) {
	s.Helper()
	file, lines := step(n)
	id, err := s.Repo.Commit(s.Context(), s.User, branch, message, file)
	if err != nil {
		s.Fatal(err)
	}
	return id, lines
}

// pull opens a pull request with n violations and returns its number, head and their lines.
func (s *site) pull(branch string, n int) (number int, head string, lines []int) {
	s.Helper()
	head, lines = s.commit(branch, fmt.Sprintf("%d violations", n), n)
	p, err := s.Repo.OpenPull(s.Context(), s.User, standin.NewPull{Title: branch, Head: branch})
	if err != nil {
		s.Fatal(err)
	}
	return p.Number, head, lines
}

// done waits until a commit has check runs and all of them are completed.
func (s *site) done(head string) {
	s.Helper()
	s.until("check run of "+head[:7]+" completed", func() bool {
		runs := s.GitHub.CheckRunsFor(head)
		return len(runs) > 0 && !slices.ContainsFunc(runs, func(r standin.CheckRun) bool { return r.Status != "completed" })
	})
}

// settled waits until no run at all is unfinished. There may be some that the test did not ask for: what is open and has no
// run is found a minute after the start, and a repeated event is one of before the start.
func (s *site) settled() {
	s.Helper()
	left := func() []string {
		var open []string
		for _, r := range s.GitHub.CheckRuns() {
			if r.Status != "completed" {
				open = append(open, fmt.Sprintf("run %d of %.7s is %s", r.ID, r.HeadSHA, r.Status))
			}
		}
		return open
	}
	deadline := time.Now().Add(patience)
	for open := left(); len(open) > 0; open = left() {
		if time.Now().After(deadline) {
			s.Fatalf("left unfinished: %v", open)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// one insists on exactly one completed run with this conclusion and one annotation on each of the lines.
func (s *site) one(head, conclusion string, lines []int) standin.CheckRun {
	s.Helper()
	runs := s.GitHub.CheckRunsFor(head)
	if len(runs) != 1 {
		s.Fatalf("%.7s has %d check runs, want 1: %+v", head, len(runs), runs)
	}
	run := runs[0]
	if run.Status != "completed" || run.Conclusion != conclusion {
		s.Errorf("check run of %.7s: %s %s %q, want %s (was: %v)\n%s", head, run.Status, run.Conclusion, run.Title, conclusion, run.History, run.Summary)
	}
	var got []int
	for _, a := range run.Annotations {
		if a.Path != "moe/decode.py" {
			s.Errorf("annotation on %s, want none there", a.Path)
		}
		got = append(got, a.StartLine)
	}
	slices.Sort(got)
	if !slices.Equal(got, lines) {
		s.Errorf("annotations on lines %v, want %v", got, lines)
	}
	return run
}

// quiet waits until nothing has asked GitHub anything for a while: whatever would still come twice has come.
func (s *site) quiet() {
	s.Helper()
	last, since := -1, time.Now()
	s.until("gatebot comes to rest", func() bool {
		if n := len(s.GitHub.Requests()); n != last {
			last, since = n, time.Now()
		}
		return time.Since(since) > time.Second
	})
}

// redeliver sends every event once more with its old GUID, as GitHub's page does.
func (s *site) redeliver() {
	s.Helper()
	sent := map[string]bool{}
	for _, d := range s.GitHub.Deliveries() {
		if !sent[d.GUID] {
			sent[d.GUID] = true
			if err := s.GitHub.Redeliver(d.GUID); err != nil {
				s.Fatal(err)
			}
		}
	}
	s.delivered()
}

// delivered waits until GitHub has attempted every delivery.
func (s *site) delivered() {
	s.Helper()
	s.until("every event delivered", func() bool {
		return !slices.ContainsFunc(s.GitHub.Deliveries(), func(d standin.Delivery) bool { return !d.Done })
	})
}

// git runs git on the repository at the stand-in.
func (s *site) show(rev string) string {
	s.Helper()
	out, err := s.Repo.Show(s.Context(), rev)
	if err != nil {
		s.Fatal(err)
	}
	return out
}

func (s *site) marker(name string) string { return filepath.Join(s.Dir, "crashed-"+name) }
