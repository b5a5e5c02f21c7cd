package runner

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// TestDrain: the job at hand comes to its end, the next one is left to others, and the runner ends by itself. The word of
// before a start counts for nothing.
func TestDrain(t *testing.T) {
	t.Parallel()
	q := queue.NewMemory()
	dir := t.TempDir()
	begun, on := filepath.Join(dir, "begun"), filepath.Join(dir, "on")
	o := options(t, q, "note:"+begun+" wait:"+on+" pass")
	o.Once = false
	if err := Drain(o.WorkDir); err != nil {
		t.Fatal(err)
	}
	send(t, q, aJob(t, q, "first"))
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := Run(context.Background(), o, nil); err != nil {
			t.Error(err)
		}
	})
	waitFor(t, begun)
	if err := Drain(o.WorkDir); err != nil {
		t.Fatal(err)
	}
	send(t, q, aJob(t, q, "second"))
	short, cancel := context.WithTimeout(t.Context(), nothingMore)
	defer cancel()
	if err := Ended(short, o.WorkDir); err == nil {
		t.Error("it ended in the middle of a job")
	}
	if err := writeSynced(on, nil); err != nil {
		t.Fatal(err)
	}
	long, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := Ended(long, o.WorkDir); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if res := nextResult(t, q, patience); res == nil || res.JobID != "first" || res.Class != queue.ClassVerdict {
		t.Errorf("result %+v", res)
	}
	if m, err := q.Next(t.Context(), queue.Jobs, queue.Consumer{Name: "pool-p", Sub: "p", Lease: time.Minute}); err != nil || m.Deliveries() != 1 {
		t.Errorf("the second job was taken: %v", err)
	}
}
