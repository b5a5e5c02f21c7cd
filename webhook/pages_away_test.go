package webhook

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"

	"github.com/gatebot/gatebot/internal/queue"
)

// leaderless is a queue whose store is away for its first reads.
type leaderless struct {
	queue.Queue
	refusals int
}

func (q *leaderless) Get(ctx context.Context, bucket, key string) (queue.Record, error) {
	if q.refusals > 0 {
		q.refusals--
		return queue.Record{}, queue.ErrUnavailable
	}
	return q.Queue.Get(ctx, bucket, key)
}

// TestServerStartedWhileItsStoreIsAway: a cluster that was choosing itself a leader once ended a server at its start.
func TestServerStartedWhileItsStoreIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.NewMemory()
		first, err := serverSecret(t.Context(), &store{q: &leaderless{q, 3}}, quiet())
		if err != nil {
			t.Fatal(err)
		}
		again, err := serverSecret(t.Context(), &store{q: q}, quiet())
		if err != nil || !bytes.Equal(first, again) {
			t.Errorf("another secret the second time: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := serverSecret(ctx, &store{q: &leaderless{q, 3}}, quiet()); err == nil {
			t.Error("a store that is away was waited for after the end of the context")
		}
	})
}
