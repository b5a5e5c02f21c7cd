package e2e

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/rig"
	"github.com/gatebot/gatebot/webhook/standin"
)

// webhook sends one delivery as anybody could; a signature of "" is not sent, and none of the known ones is "good".
func (s *site) webhook(event, signature string, body io.Reader, size int64) (status int, said string) {
	s.Helper()
	req, err := http.NewRequestWithContext(s.Context(), http.MethodPost, "http://"+s.HTTP+"/webhook", body)
	if err != nil {
		s.Fatal(err)
	}
	req.ContentLength = size
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-GitHub-Event", event)
	req.Header.Set("X-GitHub-Delivery", fmt.Sprintf("test-%s-%d", event, time.Now().UnixNano()))
	if signature != "" {
		req.Header.Set("X-Hub-Signature-256", signature)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error() // a server that refuses early may close while the body is still being sent
	}
	defer func() { _ = resp.Body.Close() }()
	text, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text)
}

// answer sends until there is an answer that is about what was sent. A server that refuses early may close before the whole
// body is there, and one that stood still says that its store did not answer.
func (s *site) answer(send func() (int, string)) (status int, said string) {
	s.Helper()
	s.until("an answer", func() bool {
		status, said = send()
		return status != 0 && status != http.StatusServiceUnavailable
	})
	return status, said
}

func (s *site) signed(event, body string) (status int, said string) {
	return s.webhook(event, standin.Sign(s.Secret, []byte(body)), strings.NewReader(body), int64(len(body)))
}

func TestBadDeliveries(t *testing.T) {
	t.Parallel()
	s := newSite(t, standin.Options{})
	s.commit("main", "Start", 0)
	s.delivered()
	s.server()
	s.runner()

	big := make([]byte, 26<<20)
	for _, c := range []struct {
		name   string
		send   func() (int, string)
		status int
	}{
		{"no signature", func() (int, string) { return s.webhook("ping", "", strings.NewReader("{}"), 2) }, 401},
		{"wrong signature", func() (int, string) {
			return s.webhook("ping", standin.Sign("another secret", []byte("{}")), strings.NewReader("{}"), 2)
		}, 401},
		{"signature of another body", func() (int, string) {
			return s.webhook("ping", standin.Sign(s.Secret, []byte("{} ")), strings.NewReader("{}"), 2)
		}, 401},
		{"oversized", func() (int, string) {
			return s.webhook("push", standin.Sign(s.Secret, big), bytes.NewReader(big), int64(len(big)))
		}, 413},
		{"oversized, length not said", func() (int, string) {
			return s.webhook("push", standin.Sign(s.Secret, big), bytes.NewReader(big), -1)
		}, 413},
		{"malformed JSON", func() (int, string) { return s.signed("push", `{"ref":`) }, 400},
		{"unknown event", func() (int, string) { return s.signed("sponsorship", `{"action":"created"}`) }, 202},
		{"known event without its fields", func() (int, string) { return s.signed("pull_request", `{"action":"opened"}`) }, 202},
		{"known event that is a list", func() (int, string) { return s.signed("merge_group", `[1,2]`) }, 202},
	} {
		if status, said := s.answer(c.send); status != c.status {
			t.Errorf("%s: %d %s, want %d", c.name, status, said, c.status)
		}
	}
	s.until("a log line about the unknown event", func() bool {
		data, err := os.ReadFile(s.File("serve.log"))
		return err == nil && strings.Contains(string(data), "sponsorship")
	})
	// None of it stopped the server: a pull request goes through.
	_, head, lines := s.pull("topic", 2)
	s.done(head)
	s.one(head, "failure", lines)
	if err := s.Children.Dead(); err != nil {
		t.Error(err)
	}
}

// TestFullStore puts the store on a file system that is full: GitHub gets a 503, which it shows as a failed delivery,
// and the delivery succeeds when it is repeated later.
func TestFullStore(t *testing.T) {
	t.Parallel()
	s := newSite(t, standin.Options{})
	s.commit("main", "Start", 0)
	s.delivered()
	data := s.File("data")
	if err := os.Mkdir(data, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("gatebot-e2e", data, "tmpfs", 0, "size=24m"); err != nil {
		t.Skipf("NOT RUN: cannot mount a small file system here: %v", err)
	}
	t.Cleanup(func() {
		s.Children.Stop()
		// What a child has started is killed with it, and may take a moment to be gone.
		s.until("the file system is free", func() bool { return syscall.Unmount(data, 0) == nil })
	})
	s.server()
	s.runner()
	ballast := filepath.Join(data, "ballast")
	fill(t, ballast)
	// Messages of some size, so that the blocks that the store has open fill up.
	status := 0
	for range 60 {
		noise := make([]byte, 300<<10)
		_, _ = rand.Read(noise) // never fails
		if status, _ = s.signed("push", fmt.Sprintf(`{"noise":"%x"}`, noise)); status != http.StatusAccepted && status != 0 {
			break
		}
	}
	if status != http.StatusServiceUnavailable {
		t.Fatalf("full store: %d, want 503", status)
	}
	_, head, lines := s.pull("topic", 1)
	s.delivered()
	failed := 0
	for _, d := range s.GitHub.Deliveries() {
		if d.StatusCode == http.StatusServiceUnavailable {
			failed++
		}
	}
	if failed == 0 {
		t.Fatal("no delivery shows as failed at GitHub although the store was full")
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	s.until("the store works again", func() bool {
		status, _ := s.signed("ping", `{"zen":"again"}`)
		return status == http.StatusAccepted
	})
	s.redeliver()
	s.done(head)
	s.one(head, "failure", lines)
}

// fill writes a file until the file system is full.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	block := make([]byte, 64<<10)
	for {
		if _, err := f.Write(block); err != nil {
			break
		}
	}
	if err := f.Close(); err != nil {
		t.Log(err) // the file system is full; that is the point
	}
}

// once runs gatebot to its end.
func once(t *testing.T, args ...string) (code int, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), gatebot, args...)
	var out bytes.Buffer
	cmd.Stderr = &out
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

// TestConfigurationTypo: file, line, key and the nearest valid key, exit code 2.
func TestConfigurationTypo(t *testing.T) {
	t.Parallel()
	s := newSite(t, standin.Options{})
	for _, c := range []struct {
		command, file, right, wrong, nearest string
	}{
		{"serve", "serve.yaml", "private_key_file:", "private_key_fil:", "private_key_file"},
		{"runner", "runner.yaml", "pool", "poool", "pool"},
	} {
		data, err := os.ReadFile(s.File(c.file))
		if err != nil {
			t.Fatal(err)
		}
		before, _, found := strings.Cut(string(data), c.right)
		if !found {
			t.Fatalf("%s has no %q", c.file, c.right)
		}
		name := s.File("typo-" + c.file)
		if err := os.WriteFile(name, []byte(strings.Replace(string(data), c.right, c.wrong, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		code, said := once(t, c.command, "--config", name)
		place := fmt.Sprintf("%s:%d", name, strings.Count(before, "\n")+1)
		for _, want := range []string{"gatebot: ", place, strings.TrimSuffix(c.wrong, ":"), c.nearest} {
			if code != 2 || !strings.Contains(said, want) {
				t.Errorf("%s with a typo: exit %d, %q; want exit 2 and %q", c.command, code, said, want)
			}
		}
	}
}

// TestRunnerWaitsForTheQueue: with no server the runner says so and retries, and takes up work when there is one.
func TestRunnerWaitsForTheQueue(t *testing.T) {
	t.Parallel()
	s := newSite(t, standin.Options{})
	s.commit("main", "Start", 0)
	s.delivered()
	runner := s.runner()
	s.until("the runner says that it cannot reach the queue", func() bool {
		return strings.Contains(runner.Tail(20), strings.TrimPrefix(s.Queue, "nats://"))
	})
	time.Sleep(2 * time.Second) // longer than one failed try takes
	if err := runner.Dead(); err != nil {
		t.Fatal(err)
	}
	s.server()
	_, head, lines := s.pull("topic", 1)
	s.done(head)
	s.one(head, "failure", lines)
}

// TestRepositoryThatCannotBeBundled makes the tree too large for a bundle: the run ends, says why, and is neither clean
// nor a violation.
func TestRepositoryThatCannotBeBundled(t *testing.T) {
	t.Parallel()
	s := newSiteWith(t, rig.Options{MaxBundle: 64 << 10})
	s.commit("main", "Start", 0)
	s.delivered()
	s.server()
	s.runner()
	noise := make([]byte, 256<<10)
	_, _ = rand.Read(noise) // never fails
	head, err := s.Repo.Commit(t.Context(), s.User, "topic", "Weights", standin.Change{Path: "weights.bin", Content: noise})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Repo.OpenPull(t.Context(), s.User, standin.NewPull{Title: "Weights", Head: "topic"}); err != nil {
		t.Fatal(err)
	}
	s.done(head)
	run := s.GitHub.CheckRunsFor(head)[0]
	if run.Conclusion == "success" || run.Conclusion == "failure" {
		t.Errorf("conclusion %s, want one that is no verdict", run.Conclusion)
	}
	if said := run.Title + " " + run.Summary; !strings.Contains(said, "bundle") || !strings.Contains(said, "max_bundle") {
		t.Errorf("the run says %q, want why and what to do", said)
	}
	// The next pull request is none the worse for it.
	_, next, lines := s.pull("small", 1)
	s.done(next)
	s.one(next, "failure", lines)
}
