package queue_test

import (
	"context"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/internal/queue/queuetest"
)

// patience is how long anything may take on a busy machine. It is a bound for what hangs, not a measurement.
const patience = 2 * time.Minute

func TestConformance(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		queuetest.Conformance(t, func(t *testing.T) queue.Queue {
			t.Parallel()
			q := queue.NewMemory()
			t.Cleanup(func() { _ = q.Close() })
			return q
		})
	})
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		queuetest.Conformance(t, func(t *testing.T) queue.Queue {
			t.Parallel()
			return openTest(t, queue.EmbeddedOptions{})
		})
	})
}

// openTest opens an embedded queue that the test closes; Dir defaults to a fresh one.
func openTest(t *testing.T, o queue.EmbeddedOptions) *queue.Server {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	if o.Start == 0 {
		o.Start = patience // beside everything else that this machine does
	}
	if o.Timeout == 0 {
		o.Timeout = patience // a process that stood still for the usual five seconds has no answer yet
	}
	s, err := queue.OpenEmbedded(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
