package queue_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/internal/queue"
)

// TestProgress: what a runner says of a job of the server's own, with a runner's rights, is what the server reads.
func TestProgress(t *testing.T) {
	t.Parallel()
	s, ro, _, _ := desk(t)
	r := dial(t, ro)
	if _, err := queue.GetProgress(t.Context(), s, "p", "", "k.a1"); !errors.Is(err, queue.ErrNotFound) {
		t.Errorf("before: %v, want ErrNotFound", err)
	}
	want := queue.Progress{Epoch: 2, Runner: "r1", Phase: "capture", Done: 43, Total: 62, Unit: "regions", Pieces: 1}
	if err := queue.PutProgress(t.Context(), r, "p", "", "k.a1", want); err != nil {
		t.Fatal(err)
	}
	if err := r.PutNote(t.Context(), queue.LogName("p", "", "k.a1", 2, 0), []byte("log")); err != nil {
		t.Fatal(err)
	}
	got, err := queue.GetProgress(t.Context(), s, "p", "", "k.a1")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(&want, got); d != "" {
		t.Error(d)
	}
	if err := queue.PutProgress(soon(t), r, "other", "", "k.a1", want); err == nil {
		t.Error("a runner spoke about a job of another pool")
	}
}

func TestProgressInWords(t *testing.T) {
	for want, p := range map[string]queue.Progress{
		"capture: 43 of 62 regions": {Phase: "capture", Done: 43, Total: 62, Unit: "regions"},
		"eager: step 7":             {Phase: "eager", Done: 7, Unit: "step"},
		"source":                    {Phase: "source"},
	} {
		if got := p.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
