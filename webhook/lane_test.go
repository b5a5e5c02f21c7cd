package webhook

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

// message is a lease without a queue.
type message struct {
	queue.Message
	deliveries           int
	acked, extended      atomic.Int32
	retried              time.Duration
	dropped              string
	extendError, ackFail error
}

func (m *message) Deliveries() int             { return m.deliveries }
func (m *message) Ack(context.Context) error   { m.acked.Add(1); return m.ackFail }
func (m *message) Extend() error               { m.extended.Add(1); return m.extendError }
func (m *message) Retry(d time.Duration) error { m.retried = d; return nil }

func (m *message) Drop(_ context.Context, reason string) error { m.dropped = reason; return nil }

func TestLaneSettlesEveryMessage(t *testing.T) {
	for _, tc := range []struct {
		name    string
		err     error
		acked   int32
		retried time.Duration
		dropped string
	}{
		{"handled", nil, 1, 0, ""},
		{"failed", errors.New("x"), 0, 7 * time.Second, ""},
		{"limited", &github.RateLimitedError{After: time.Hour}, 0, time.Hour, ""},
		{"limited for less than the backoff", &github.RateLimitedError{After: time.Second}, 0, 7 * time.Second, ""},
		{"hopeless", &dropError{"no JSON"}, 0, 0, "no JSON"},
	} {
		m := &message{deliveries: 7}
		l := &lane{
			log: quiet(), consumer: queue.Consumer{Name: "x", Lease: time.Minute},
			backoff: func(n int) time.Duration { return time.Duration(n) * time.Second },
			handle:  func(context.Context, queue.Message) error { return tc.err },
		}
		l.one(t.Context(), m)
		if m.acked.Load() != tc.acked || m.retried != tc.retried || m.dropped != tc.dropped {
			t.Errorf("%s: acked %d, retried %s, dropped %q", tc.name, m.acked.Load(), m.retried, m.dropped)
		}
	}
}

func TestLaneKeepsTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &message{extendError: errors.New("lost")}
		l := &lane{
			log: quiet(), consumer: queue.Consumer{Name: "x", Lease: 30 * time.Second}, backoff: DefaultBackoff,
			handle: func(context.Context, queue.Message) error { time.Sleep(95 * time.Second); return nil },
		}
		l.one(t.Context(), m)
		if n := m.extended.Load(); n != 9 {
			t.Errorf("extended %d times in 95 s, want 9", n)
		}
	})
}

func TestBackoffGrowsToItsLimit(t *testing.T) {
	for n := range 200 {
		if d := DefaultBackoff(n); d < 500*time.Millisecond || d > 2*time.Minute {
			t.Fatalf("delivery %d: %s", n, d)
		}
	}
	if DefaultBackoff(20) < time.Minute {
		t.Error("the twentieth try comes too soon")
	}
}

func TestKeyLocks(t *testing.T) {
	var l keyLocks
	unlock, err := l.lock(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.lock(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("a held key: %v", err)
	}
	if _, ok := l.try("a"); ok {
		t.Error("a held key was taken")
	}
	other, err := l.lock(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	other()
	unlock()
	if again, err := l.lock(t.Context(), "a"); err != nil {
		t.Error(err)
	} else {
		again()
	}
	if len(l.held) != 0 {
		t.Errorf("%d locks are left", len(l.held))
	}
}
