package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/crash"
	"github.com/gatebot/gatebot/internal/queue"
)

// aProcess is a runner in a process of its own, connected over TCP with a runner's rights.
type aProcess struct {
	t    *testing.T
	q    *queue.Server
	cfg  runnerConfig
	exe  string
	log  bytes.Buffer
	once string // marker of the crash point
}

func newProcess(t *testing.T, exe string) *aProcess {
	t.Helper()
	pub, seed, err := queue.NewRunnerKey()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	q, err := queue.OpenEmbedded(context.Background(), queue.EmbeddedOptions{Dir: filepath.Join(dir, "queue"),
		Listen: "127.0.0.1:0", JobLease: time.Minute, Start: patience, Timeout: patience, Runners: []queue.Runner{{Name: "r1", Key: pub, Pools: []string{"p"}}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
	p := &aProcess{t: t, q: q, exe: exe, once: filepath.Join(dir, "once")}
	p.cfg = runnerConfig{URL: q.URL(), Seed: filepath.Join(dir, "seed"), Work: filepath.Join(dir, "work"), Once: true}
	if err := os.WriteFile(p.cfg.Seed, append(seed, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// start begins the runner; the child it starts does how. crashAt is a crash point or empty.
func (p *aProcess) start(how, crashAt string) *exec.Cmd {
	p.t.Helper()
	p.cfg.Child = how
	cfg, err := json.Marshal(p.cfg)
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(p.exe)
	cmd.Env = append(os.Environ(), runnerEnvVar+"="+string(cfg), "GATEBOT_CRASH_AT="+crashAt, "GATEBOT_CRASH_ONCE="+p.once)
	cmd.Stdout, cmd.Stderr = &p.log, &p.log
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	return cmd
}

// crashBinary is this test binary with crash points that work.
func crashBinary(t *testing.T) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "runner.test")
	out, err := exec.Command("go", "test", "-c", "-tags", "crashpoints", "-o", exe, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("build with crash points: %v\n%s", err, out)
	}
	return exe
}

// TestKilledAtEachPoint: the runner process dies of SIGKILL and is started again. However it ends, the queue has one
// result, the job is acknowledged, and nothing is left on the machine.
func TestKilledAtEachPoint(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a binary and waits for leases")
	}
	t.Parallel()
	exe := crashBinary(t)
	for point, runs := range map[string]int{ // how often the job has run in the end
		crash.JobRunning:    2,
		crash.ResultSpooled: 1,
		crash.ResultStored:  1,
	} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			p := newProcess(t, exe)
			dir := t.TempDir()
			note, group, session := filepath.Join(dir, "note"), filepath.Join(dir, "group"), filepath.Join(dir, "session")
			send(t, p.q, aJob(t, p.q, "job"))
			how := "note:" + note + " spawn:" + group + " setsid:" + session + " sleep:500ms pass"
			cmd := p.start(how, point)
			_ = cmd.Wait()
			if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || ws.Signal() != syscall.SIGKILL {
				t.Fatalf("the runner was not killed at %s: %s\n%s", point, cmd.ProcessState, p.log.String())
			}
			waitFor(t, note) // the orphan goes on
			cmd = p.start(how, point)
			if err := cmd.Wait(); err != nil {
				t.Fatalf("second start: %v\n%s", err, p.log.String())
			}
			res := nextResult(t, p.q, patience)
			if res == nil || res.Class != queue.ClassVerdict {
				t.Fatalf("result %+v\n%s", res, p.log.String())
			}
			if second := nextResult(t, p.q, 300*time.Millisecond); second != nil {
				t.Errorf("a second result: %+v", second)
			}
			data, err := os.ReadFile(note)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(string(data), "\n"); got != runs {
				t.Errorf("the job ran %d times, want %d", got, runs)
			}
			idle(t, p.q, p.cfg.Work)
			for _, f := range []string{group, session} {
				if _, err := os.Stat(f); err == nil {
					gone(t, filepath.Base(f), pidIn(t, f))
				}
			}
		})
	}
}

// waitFor waits until a file is there with something in it: what says its number creates the file first.
func waitFor(t *testing.T, file string) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if info, err := os.Stat(file); err == nil && info.Size() > 0 {
			return
		}
	}
	t.Fatalf("%s did not appear", file)
}

// TestDaemonEnds: a job's process in a session of its own with an empty environment does not outlive the job when the
// process is the runner's own.
func TestDaemonEnds(t *testing.T) {
	t.Parallel()
	p := newProcess(t, os.Args[0])
	daemon := filepath.Join(t.TempDir(), "daemon")
	send(t, p.q, aJob(t, p.q, "job"))
	if err := p.start("daemon:"+daemon+" pass", "").Wait(); err != nil {
		t.Fatalf("%v\n%s", err, p.log.String())
	}
	if res := nextResult(t, p.q, patience); res == nil || res.Class != queue.ClassVerdict {
		t.Errorf("result %+v", res)
	}
	gone(t, "daemon", pidIn(t, daemon))
}

// TestTerm: SIGTERM ends a runner in the middle of a job; the job is there for the next one at once.
func TestTerm(t *testing.T) {
	t.Parallel()
	p := newProcess(t, os.Args[0])
	note := filepath.Join(t.TempDir(), "note")
	send(t, p.q, aJob(t, p.q, "job"))
	cmd := p.start("note:"+note+" hang", "")
	waitFor(t, note)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("end: %v\n%s", err, p.log.String())
	}
	if err := p.start("pass", "").Wait(); err != nil {
		t.Fatalf("%v\n%s", err, p.log.String())
	}
	if res := nextResult(t, p.q, patience); res == nil || res.Class != queue.ClassVerdict || res.Epoch != 2 {
		t.Errorf("result %+v\n%s", res, p.log.String())
	}
	idle(t, p.q, p.cfg.Work)
}
