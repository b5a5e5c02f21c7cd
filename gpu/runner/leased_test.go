package runner

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/gatebot/gatebot/internal/queue"
)

// begun runs a job that hangs, with a process in its group and one in a session of its own, until it is under way.
func begun(t *testing.T, q queue.Queue, job queue.Job) (o Options, pids map[string]int, wait func()) {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{}
	for _, name := range []string{"child", "group", "session"} {
		files[name] = filepath.Join(dir, name)
	}
	o = options(t, q, "spawn:"+files["group"]+" setsid:"+files["session"]+" note:"+files["child"]+" hang")
	send(t, q, job)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := Run(context.Background(), o, nil); err != nil { // Once: ends after the attempt
			t.Error(err)
		}
	})
	pids = map[string]int{}
	for name, file := range files {
		waitFor(t, file)
		pids[name] = pidIn(t, file)
	}
	return o, pids, wg.Wait
}

// TestCancelledWhileRunning: a job that nobody wants is ended while it runs, with everything that it started, and does not come again.
func TestCancelledWhileRunning(t *testing.T) {
	t.Parallel()
	q := queue.NewMemory()
	job := aJob(t, q, "job")
	o, pids, wait := begun(t, q, job)
	if err := queue.CancelJob(t.Context(), q, "p", "", job.ID, "superseded"); err != nil {
		t.Fatal(err)
	}
	wait()
	for name, pid := range pids {
		gone(t, name, pid)
	}
	if res := nextResult(t, q, nothingMore); res != nil {
		t.Errorf("a cancelled job made a result: %+v", res)
	}
	idle(t, q, o.WorkDir)
}

// TestOvertaken: a newer lease of the job ends the attempt under the older one, and the job stays with the newer.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	q := queue.NewMemory()
	job := aJob(t, q, "job")
	_, pids, wait := begun(t, q, job)
	if g, err := q.Claim(t.Context(), "p", "", job.ID, "r2"); err != nil || g.Epoch != 2 {
		t.Fatal(g, err)
	}
	wait()
	for name, pid := range pids {
		gone(t, name, pid)
	}
	if res := nextResult(t, q, nothingMore); res != nil {
		t.Errorf("an overtaken job made a result: %+v", res)
	}
	c := queue.JobConsumer("p")
	c.Lease = testLease
	if m, err := q.Next(t.Context(), queue.Jobs, c); err != nil || m.Deliveries() != 2 {
		t.Errorf("the job was taken from whoever has it now: %v", err)
	}
}

// TestSettledJobDoesNotRun: a job whose result is stored does not run again, however often it comes.
func TestSettledJobDoesNotRun(t *testing.T) {
	t.Parallel()
	q := queue.NewMemory()
	job := aJob(t, q, "job")
	g, err := q.Claim(t.Context(), "p", "", job.ID, "r2")
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Settle(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	note := filepath.Join(t.TempDir(), "note")
	o := options(t, q, "note:"+note+" pass")
	send(t, q, job)
	if err := Run(t.Context(), o, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(note); err == nil {
		t.Error("the job ran again")
	}
	if res := nextResult(t, q, nothingMore); res != nil {
		t.Errorf("a second result: %+v", res)
	}
	idle(t, q, o.WorkDir)
}

// unnumbered is a queue that gives no numbers.
type unnumbered struct{ *queue.Memory }

func (unnumbered) Claim(context.Context, string, string, string, string) (queue.Grant, error) {
	return queue.Grant{}, errors.New("disk full")
}

// TestNoNumber: without a number the job does not run and goes back.
func TestNoNumber(t *testing.T) {
	t.Parallel()
	q := unnumbered{queue.NewMemory()}
	job := aJob(t, q, "job")
	note := filepath.Join(t.TempDir(), "note")
	send(t, q, job)
	if err := Run(t.Context(), options(t, q, "note:"+note+" pass"), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(note); err == nil {
		t.Error("it ran without a number")
	}
	c := queue.JobConsumer("p")
	c.Lease = testLease
	if m, err := q.Next(t.Context(), queue.Jobs, c); err != nil || m.Deliveries() != 2 {
		t.Errorf("the job did not come back: %v", err)
	}
}
