package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/crash"
	"github.com/gatebot/gatebot/webhook/standin"
)

// desk is a developer's checkout with a commit.
func (s *site) desk() string {
	s.Helper()
	dir := s.TempDir()
	s.gitIn(dir, "init", "-q")
	s.put(dir, "run.sh", "echo committed; exit 5\n")
	s.put(dir, ".gitignore", "secret.env\n")
	s.gitIn(dir, "add", ".")
	s.gitIn(dir, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "one")
	return dir
}

func (s *site) put(dir, name, text string) {
	s.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}

func (s *site) gitIn(dir string, args ...string) string {
	s.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.Fatalf("git %v: %v: %s", args, err, out)
	}
	return string(out)
}

// command is gatebot in dir as ada runs it.
func (s *site) command(dir string, args ...string) (cmd *exec.Cmd, out, errs *bytes.Buffer) {
	cmd = exec.Command(gatebot, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GATEBOT_CLIENT_CONFIG="+s.File("client.yaml"))
	out, errs = &bytes.Buffer{}, &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, errs
	return cmd, out, errs
}

// fire runs gatebot fire to its end.
func (s *site) fire(dir string, args ...string) (code int, out, errs string) {
	s.Helper()
	cmd, o, e := s.command(dir, append([]string{"fire"}, args...)...)
	return s.exit(cmd.Run()), o.String(), e.String()
}

func (s *site) exit(err error) int {
	s.Helper()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.Fatal(err)
	}
	if exit == nil {
		return 0
	}
	return exit.ExitCode()
}

// TestFire: the first user's command line: exit code, log file, uncommitted work, arguments, and what cannot be run.
func TestFire(t *testing.T) {
	t.Parallel()
	s := newSite(t, standin.Options{})
	s.server()
	s.runner()
	dir, log := s.desk(), filepath.Join(t.TempDir(), "kernel-test.log")
	code, out, errs := s.fire(dir, "run.sh", "kernel-test", log, "1800")
	if code != 5 || out != "committed\n" || !takenByBench(errs) {
		t.Errorf("exit %d, out %q\n%s", code, out, errs)
	}
	if data, err := os.ReadFile(log); err != nil || string(data) != "committed\n" {
		t.Errorf("log %q, %v", data, err)
	}
	// What is not committed goes along, what is ignored does not, and the index stays as it is.
	s.put(dir, "run.sh", "cat new.txt; ls secret.env; echo args $1; exit 0\n")
	s.put(dir, "new.txt", "uncommitted\n")
	s.put(dir, "secret.env", "TOKEN=x\n")
	before := s.gitIn(dir, "status", "--porcelain")
	code, out, errs = s.fire(dir, "run.sh", "--", "--fast")
	if code != 0 || !strings.Contains(out, "uncommitted\n") || !strings.Contains(out, "args --fast") || !strings.Contains(out, "cannot access") {
		t.Errorf("exit %d, out %q\n%s", code, out, errs)
	}
	if after := s.gitIn(dir, "status", "--porcelain"); after != before || strings.Contains(s.gitIn(dir, "log", "--oneline", "--all"), "fire") {
		t.Errorf("the repository was changed: %q, was %q", after, before)
	}
	if code, out, errs = s.fire(dir, "run.sh", "--head"); code != 5 || out != "committed\n" {
		t.Errorf("--head: exit %d, out %q\n%s", code, out, errs)
	}
	s.put(dir, "hang.sh", "echo begun; sleep 600\n")
	for limit := 2; ; limit *= 4 { // a machine that is busy enough does not even begin within two seconds
		code, out, errs = s.fire(dir, "hang.sh", "x", "/dev/null", fmt.Sprint(limit))
		if code != 3 || !strings.Contains(errs, fmt.Sprintf("time limit of %ds reached", limit)) {
			t.Fatalf("time limit: exit %d, out %q\n%s", code, out, errs)
		}
		if out == "begun\n" {
			break
		}
		if limit > 100 {
			t.Fatalf("nothing came of the log within %d s: %q", limit, out)
		}
	}
	for name, want := range map[string]string{"missing.sh": "no such file", "new.txt": "not known how to run it", "../x.sh": "", "secret.env": "is no file of the tree"} {
		if code, _, errs := s.fire(dir, name); code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d\n%s", name, code, errs)
		}
	}
}

// takenByBench: a runner that stood still before it had the job's number gives it back and takes it anew.
func takenByBench(said string) bool {
	return strings.Contains(said, "runner bench has taken the job") || strings.Contains(said, "bench begins anew")
}

// TestFireInterrupted: Ctrl-C takes the job back, and the runner is free for the next one at once.
func TestFireInterrupted(t *testing.T) {
	t.Parallel()
	s := newSite(t, standin.Options{})
	s.server()
	s.runner()
	dir := s.desk()
	s.put(dir, "hang.sh", "echo begun; sleep 600\n")
	cmd, out, errs := s.command(dir, "fire", "hang.sh")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = write
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	if n, err := read.Read(make([]byte, 16)); n == 0 || err != nil {
		t.Fatalf("no log came: %v %s", err, out)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code := s.exit(cmd.Wait()); code != 3 || !strings.Contains(errs.String(), "taken back") {
		t.Errorf("exit %d\n%s", code, errs)
	}
	start := time.Now()
	if code, _, errs := s.fire(dir, "run.sh"); code != 5 {
		t.Errorf("the next job: exit %d\n%s", code, errs)
	}
	t.Logf("next job done %s after Ctrl-C", time.Since(start).Round(time.Millisecond))
}

// TestFireRunnerKilled: the runner dies in the middle; another takes the job, and the developer is told.
func TestFireRunnerKilled(t *testing.T) {
	t.Parallel()
	s := newSite(t, standin.Options{})
	s.server()
	victim := s.runner("GATEBOT_CRASH_AT="+crash.JobRunning, "GATEBOT_CRASH_ONCE="+s.marker("fire"))
	dir := s.desk()
	cmd, out, errs := s.command(dir, "fire", "run.sh")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.until("the crash", func() bool { return victim.Dead() != nil })
	s.Children.Remove(victim)
	s.runner() // gives back what it held
	if _, err := s.StartSecond(); err != nil {
		t.Fatal(err)
	}
	if code := s.exit(cmd.Wait()); code != 5 || !strings.Contains(out.String(), "committed\n") || !strings.Contains(errs.String(), "runner was lost") {
		t.Errorf("exit %d, out %q\n%s", code, out, errs)
	}
}

// TestHookRemote: the GPU stage of a push on a runner. This machine has no GPU, which is no verdict: the push goes
// through with a word, and is refused when it must be strict; a server that is away is the same.
func TestHookRemote(t *testing.T) {
	t.Parallel()
	s := newSite(t, standin.Options{})
	dir := s.desk()
	s.put(dir, "model.py", "import torch\n\n\ndef decode_step(x, i):\n    return x + i\n")
	s.gitIn(dir, "add", ".")
	s.gitIn(dir, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "two")
	head := strings.TrimSpace(s.gitIn(dir, "rev-parse", "HEAD"))
	push := func() (int, string) {
		cmd, _, errs := s.command(dir, "hook", "pre-push", "--gpu=remote", "origin", "/nowhere")
		cmd.Stdin = strings.NewReader("refs/heads/main " + head + " refs/heads/main " + strings.Repeat("0", 40) + "\n")
		return s.exit(cmd.Run()), errs.String()
	}
	if code, errs := push(); code != 0 || !strings.Contains(errs, "the server cannot be reached") {
		t.Errorf("no server: exit %d\n%s", code, errs)
	}
	s.server()
	s.runner()
	code, errs := push()
	if code != 0 || !takenByBench(errs) || !strings.Contains(errs, "gatebot-gpu") {
		t.Errorf("no GPU: exit %d\n%s", code, errs)
	}
	s.gitIn(dir, "config", "gatebot.hook.strict", "true")
	if code, errs = push(); code == 0 {
		t.Errorf("strict: exit %d\n%s", code, errs)
	}
}

// TestTwoRunners: one dies with a job; the other finishes it, and the check run is completed once.
func TestTwoRunners(t *testing.T) {
	t.Parallel()
	for _, point := range onRunner {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, standin.Options{})
			s.commit("main", "Start", 0)
			head, lines := s.commit("topic", "One violation", 1)
			s.delivered()
			s.server()
			victim := s.runner("GATEBOT_CRASH_AT="+point, "GATEBOT_CRASH_ONCE="+s.marker(point))
			if _, err := s.Repo.OpenPull(t.Context(), s.User, standin.NewPull{Title: "One violation", Head: "topic"}); err != nil {
				t.Fatal(err)
			}
			s.until("the crash at "+point, func() bool { return victim.Dead() != nil })
			s.Children.Remove(victim)
			if _, err := s.StartSecond(); err != nil {
				t.Fatal(err)
			}
			s.runner() // comes back and gives up what it held, or sends what it had
			s.done(head)
			s.quiet()
			s.one(head, "failure", lines)
		})
	}
}

// TestFireLimit: a developer who has as many jobs waiting as may be is told at once, and nobody else's are touched.
func TestFireLimit(t *testing.T) {
	t.Parallel()
	s := newSite(t, standin.Options{})
	s.configure("clients:\n", "fire: {queued: 2}\nclients:\n")
	s.server()
	dir := s.desk()
	var stop []func()
	for range 2 { // no runner takes them
		cmd, _, _ := s.command(dir, "fire", "run.sh")
		said := &said{}
		cmd.Stderr = said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		stop = append(stop, func() {
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Error(err)
			}
			if code := s.exit(cmd.Wait()); code != 3 {
				t.Errorf("a job that waits: exit %d\n%s", code, said)
			}
		})
		s.until("the job is sent", func() bool { return strings.Contains(said.String(), "waiting for a runner") })
	}
	if code, _, errs := s.fire(dir, "run.sh"); code != 2 || !strings.Contains(errs, "ada has 2 jobs in pool default already") {
		t.Errorf("one more: exit %d\n%s", code, errs)
	}
	for _, f := range stop {
		f()
	}
	s.runner() // what was taken back counts no more
	if code, out, errs := s.fire(dir, "run.sh"); code != 5 || out != "committed\n" {
		t.Errorf("with room again: exit %d, out %q\n%s", code, out, errs)
	}
}
