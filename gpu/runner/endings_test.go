package runner

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// TestTimeout: the time limit is its own class, and takes everything with it that the job started.
func TestTimeout(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"say:phase_capture hang", "stubborn say:phase_capture hang"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			group, session := filepath.Join(dir, "group"), filepath.Join(dir, "session")
			for limit := 3 * time.Second; ; limit *= 4 { // a machine that is busy enough does not get that far in three seconds
				res := run(t, "spawn:"+group+" setsid:"+session+" "+how, func(_ *Options, j *queue.Job) { j.Timeout = limit })
				if res.Class != queue.ClassTimeout || !strings.Contains(res.Reason, limit.String()) {
					t.Fatalf("class %s, reason %q", res.Class, res.Reason)
				}
				if strings.Contains(res.Reason, "phase capture") {
					break
				}
				if limit > time.Minute {
					t.Fatalf("the job did not say its phase within %s: %q", limit, res.Reason)
				}
			}
			gone(t, "process of the group", pidIn(t, group))
			gone(t, "process of another session", pidIn(t, session))
		})
	}
}

// TestLeftBehind: what a finished job leaves running is ended too, and holds up nothing.
func TestLeftBehind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	group, session := filepath.Join(dir, "group"), filepath.Join(dir, "session")
	res := run(t, "spawn:"+group+" setsid:"+session+" pass", nil)
	if res.Class != queue.ClassVerdict {
		t.Errorf("class %s, reason %q", res.Class, res.Reason)
	}
	gone(t, "process of the group", pidIn(t, group))
	gone(t, "process of another session", pidIn(t, session))
}

// TestStop: a runner that is asked to stop gives its job back at once.
func TestStop(t *testing.T) {
	t.Parallel()
	q := queue.NewMemory()
	note := filepath.Join(t.TempDir(), "note")
	o := options(t, q, "note:"+note+" hang")
	send(t, q, aJob(t, q, "job"))
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := Run(ctx, o, nil); err != nil {
			t.Error(err)
		}
	})
	waitFor(t, note)
	cancel()
	wg.Wait()
	gone(t, "child", pidIn(t, note))
	if res := nextResult(t, q, 50*time.Millisecond); res != nil {
		t.Errorf("a stopped job made a result: %+v", res)
	}
	short, end := context.WithTimeout(context.Background(), testLease/2)
	defer end()
	c := queue.JobConsumer("p")
	c.Lease = testLease
	m, err := q.Next(short, queue.Jobs, c)
	if err != nil || m.Deliveries() != 2 {
		t.Errorf("the job did not come back at once: %v", err)
	}
}

// TestLeaseLost: a queue that does not answer for two leases ends the job, and nothing of it is kept.
func TestLeaseLost(t *testing.T) {
	t.Parallel()
	q := queue.NewMemory()
	dir := t.TempDir()
	note := filepath.Join(dir, "note")
	o := options(t, q, "note:"+note+" hang")
	send(t, q, aJob(t, q, "job"))
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := Run(context.Background(), o, nil); err != nil { // Once: ends after the attempt
			t.Error(err)
		}
	})
	waitFor(t, note)
	q.Fail(queue.ErrUnavailable)
	wg.Wait()
	q.Fail(nil)
	gone(t, "child", pidIn(t, note))
	if res := nextResult(t, q, 50*time.Millisecond); res != nil {
		t.Errorf("a lost job made a result: %+v", res)
	}
	o.Env = []string{childEnvVar + "=pass"}
	if err := Run(context.Background(), o, nil); err != nil {
		t.Fatal(err)
	}
	if res := nextResult(t, q, patience); res == nil || res.Epoch != 2 {
		t.Errorf("second delivery: %+v", res)
	}
	idle(t, q, o.WorkDir)
}

// TestQueueAwayAndBack: the queue goes while the job runs, is away when it ends, and comes back: one result.
func TestQueueAwayAndBack(t *testing.T) {
	t.Parallel()
	q := queue.NewMemory()
	note := filepath.Join(t.TempDir(), "note")
	o := options(t, q, "note:"+note+" sleep:300ms pass")
	o.Lease = 10 * time.Second // longer than the outage
	send(t, q, aJob(t, q, "job"))
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := Run(context.Background(), o, nil); err != nil {
			t.Error(err)
		}
	})
	waitFor(t, note)
	q.Fail(queue.ErrUnavailable)
	time.Sleep(1200 * time.Millisecond)
	q.Fail(nil)
	wg.Wait()
	if res := nextResult(t, q, patience); res == nil || res.Class != queue.ClassVerdict {
		t.Errorf("result %+v", res)
	}
	if res := nextResult(t, q, 50*time.Millisecond); res != nil {
		t.Errorf("a second result: %+v", res)
	}
	idle(t, q, o.WorkDir)
}

// TestSpooledBefore: a result from before a restart is sent once, and its job, which comes again, does not run again.
func TestSpooledBefore(t *testing.T) {
	t.Parallel()
	q := queue.NewMemory()
	job := aJob(t, q, "job")
	note := filepath.Join(t.TempDir(), "note")
	o := options(t, q, "note:"+note+" pass")
	s, err := openSpool(filepath.Join(o.WorkDir, "spool"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.put(&queue.Result{JobID: job.ID, Epoch: 1, Class: queue.ClassVerdict, Reason: "from before"}); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"torn.json": "{", "new-123": "half"} {
		if err := os.WriteFile(filepath.Join(o.WorkDir, "spool", name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	send(t, q, job)
	if err := Run(context.Background(), o, nil); err != nil {
		t.Fatal(err)
	}
	if res := nextResult(t, q, patience); res == nil || res.Reason != "from before" {
		t.Errorf("result %+v", res)
	}
	if res := nextResult(t, q, 50*time.Millisecond); res != nil {
		t.Errorf("a second result: %+v", res)
	}
	if _, err := os.Stat(note); err == nil {
		t.Error("the job ran again")
	}
	if err := os.Remove(filepath.Join(o.WorkDir, "spool", "torn.json.damaged")); err != nil {
		t.Errorf("the torn file was not put aside: %v", err)
	}
	idle(t, q, o.WorkDir)
}

// TestRecycledPID: a process that has the recorded number but is another one is left alone.
func TestRecycledPID(t *testing.T) {
	t.Parallel()
	stranger := exec.Command("sleep", "600")
	stranger.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	reaped := make(chan error, 1)
	go func() { reaped <- stranger.Wait() }()
	defer func() {
		_ = syscall.Kill(-stranger.Process.Pid, syscall.SIGKILL)
		if err := <-reaped; err == nil {
			t.Error("the stranger ended by itself")
		}
	}()
	attempt := t.TempDir()
	data := `{"pid":` + itoa(stranger.Process.Pid) + `,"start":1,"boot":"` + bootID() + `"}`
	if err := os.WriteFile(recordName(attempt), []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := endLeftovers(attempt); n != 0 || err != nil {
		t.Errorf("%d processes ended, %v", n, err)
	}
	if !alive(stranger.Process.Pid) {
		t.Error("a stranger was killed")
	}
	// With the right start time it is the leftover.
	if err := recordProcess(attempt, stranger.Process.Pid); err != nil {
		t.Fatal(err)
	}
	if n, err := endLeftovers(attempt); n != 1 || err != nil {
		t.Errorf("%d processes ended, %v", n, err)
	}
}

// TestPools: a runner of several pools takes from each.
func TestPools(t *testing.T) {
	t.Parallel()
	q := queue.NewMemory()
	job := aJob(t, q, "job")
	job.Pool = "second"
	send(t, q, job)
	o := options(t, q, "pass")
	o.Pools = []string{"first", "second"}
	if err := Run(context.Background(), o, nil); err != nil {
		t.Fatal(err)
	}
	if res := nextResult(t, q, patience); res == nil || res.Class != queue.ClassVerdict {
		t.Errorf("result %+v", res)
	}
}

// TestStarted: the server hears of the lease before it hears of the result, and not at all of a job that was done before.
func TestStarted(t *testing.T) {
	t.Parallel()
	q := queue.NewMemory()
	job := aJob(t, q, "job")
	send(t, q, job)
	o := options(t, q, "pass")
	if err := Run(context.Background(), o, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	first, second := nextWord(ctx, t, q), nextWord(ctx, t, q)
	if first == nil || first.Class != queue.ClassStarted || first.JobID != job.ID || first.Key != job.Key || first.Epoch != 1 {
		t.Errorf("first word: %+v", first)
	}
	if second == nil || second.Class != queue.ClassVerdict {
		t.Errorf("second word: %+v", second)
	}
}
