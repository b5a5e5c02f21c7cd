package webhook

import (
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// someRunners is a world with three runners of its pool.
func someRunners(t *testing.T) (w *world, beat func(name, state string)) {
	w = newWorld(t)
	w.pools = map[string][]string{"r1": {"default"}, "r2": {"default"}, "r3": {"default"}, "other": {"b200"}}
	w.start()
	return w, func(name, state string) {
		t.Helper()
		if err := queue.Beat(t.Context(), w.queue, queue.RunnerState{Name: name, State: state, At: w.clock}); err != nil {
			t.Fatal(err)
		}
	}
}

// record is the record of the only job.
func (w *world) record1() *Record {
	w.t.Helper()
	keys, err := w.queue.Keys(w.t.Context(), queue.BucketJobs)
	if err != nil || len(keys) != 1 {
		w.t.Fatal(keys, err)
	}
	r, _, err := w.load(w.t.Context(), keys[0])
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *world) spoil(j queue.Job, runner string) {
	w.t.Helper()
	if err := w.give(queue.Result{JobID: j.ID, Key: j.Key, Attempt: j.Attempt, Epoch: 1, Runner: runner, Class: queue.ClassInfra, Reason: "exit 3"}); err != nil {
		w.t.Fatal(err)
	}
}

// TestRetryElsewhere: after a runner that failed comes one that is idle, else one that is there, else any.
func TestRetryElsewhere(t *testing.T) {
	for _, c := range []struct {
		name  string
		beats map[string]string
		want  string
	}{
		{"an idle one", map[string]string{"r1": queue.RunnerIdle, "r2": queue.RunnerBusy, "r3": queue.RunnerIdle, "other": queue.RunnerIdle}, "r3"},
		{"a busy one", map[string]string{"r1": queue.RunnerIdle, "r2": queue.RunnerBusy, "r3": queue.RunnerQuarantined}, "r2"},
		{"alone", map[string]string{"r1": queue.RunnerIdle, "r2": queue.RunnerStopped}, ""},
		{"nobody was heard of", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, beat := someRunners(t)
			w.plan("pull_request", pullPayload("opened", head, ""))
			j := w.jobs()[0]
			for name, state := range c.beats {
				beat(name, state)
			}
			w.spoil(j, "r1")
			r := w.record1()
			if r.To != c.want || r.Attempt != 2 || r.State != StateQueued {
				t.Errorf("attempt %d is for %q, want %q", r.Attempt, r.To, c.want)
			}
			if jobs := w.jobs(); len(jobs) != 1 || jobs[0].ID != r.Job.ID {
				t.Errorf("%d jobs in the queue", len(jobs))
			}
		})
	}
}

// TestStranded: a job for a runner that went away, or is busy while another is idle, goes to that one; a wait is no failure.
func TestStranded(t *testing.T) {
	w, beat := someRunners(t)
	w.plan("pull_request", pullPayload("opened", head, ""))
	j := w.jobs()[0]
	beat("r2", queue.RunnerBusy)
	w.spoil(j, "r1")
	first := w.jobs()[0]
	later := func(states map[string]string) *Record {
		t.Helper()
		w.clock = w.clock.Add(toFor + time.Second)
		for name, state := range states {
			beat(name, state)
		}
		if err := w.sweep(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		return w.record1()
	}
	if r := later(map[string]string{"r1": queue.RunnerIdle, "r2": queue.RunnerBusy}); r.To != "r2" || r.Attempt != 2 {
		t.Errorf("only the one that failed is idle: attempt %d for %q", r.Attempt, r.To)
	}
	if r := later(map[string]string{"r2": queue.RunnerBusy, "r3": queue.RunnerIdle}); r.To != "r3" || r.Attempt != 3 || r.Infra != 1 {
		t.Errorf("another is idle: attempt %d for %q, %d spoilt", r.Attempt, r.To, r.Infra)
	}
	if _, yes, err := queue.Cancelled(t.Context(), w.queue, first.Pool, "", first.ID); !yes || err != nil {
		t.Errorf("the older attempt is not called off: %v", err)
	}
	if jobs := w.jobs(); len(jobs) != 1 || jobs[0].Attempt != 3 {
		t.Errorf("%d jobs in the queue", len(jobs))
	}
	if r := later(map[string]string{"r1": queue.RunnerIdle}); r.To != "" || r.Attempt != 4 {
		t.Errorf("all others are gone: attempt %d for %q", r.Attempt, r.To)
	}
}
