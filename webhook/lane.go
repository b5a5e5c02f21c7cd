package webhook

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

// dropError is a message that no repetition makes better.
type dropError struct{ reason string }

func (e *dropError) Error() string { return e.reason }

// lane reads one consumer with a number of workers. A message is acknowledged after its handler returned nil, tried
// again after an error and dropped on a dropError; while a handler works its lease is kept.
type lane struct {
	q        queue.Queue
	stream   queue.Stream
	consumer queue.Consumer
	backoff  func(deliveries int) time.Duration
	log      *slog.Logger
	handle   func(ctx context.Context, m queue.Message) error
	workers  int // at once; more may be in flight, waiting to be tried again
}

// run returns when ctx ends and every handler has returned. Handlers work under work, which ends later.
func (l *lane) run(ctx, work context.Context) {
	var wg sync.WaitGroup
	for range max(l.workers, 1) {
		wg.Go(func() {
			for ctx.Err() == nil {
				m, err := l.q.Next(ctx, l.stream, l.consumer)
				if err != nil {
					if ctx.Err() == nil {
						l.log.ErrorContext(ctx, "queue: no next message", "consumer", l.consumer.Name, "error", err)
						pause(ctx, l.backoff(3))
					}
					continue
				}
				l.one(work, m)
			}
		})
	}
	wg.Wait()
}

func (l *lane) one(ctx context.Context, m queue.Message) {
	stop := l.keep(ctx, m)
	err := l.handle(ctx, m)
	stop()
	var drop *dropError
	switch {
	case err == nil:
		if err = m.Ack(ctx); err != nil {
			l.log.WarnContext(ctx, "message handled but not acknowledged: it will come again", "consumer", l.consumer.Name, "error", err)
		}
		return
	case errors.As(err, &drop):
		l.log.WarnContext(ctx, "message dropped", "consumer", l.consumer.Name, "reason", drop.reason)
		err = m.Drop(ctx, drop.reason)
	default:
		delay := l.delay(m, err)
		l.log.WarnContext(ctx, "trying again", "consumer", l.consumer.Name, "delivery_count", m.Deliveries(), "in", delay, "error", err)
		err = m.Retry(delay)
	}
	if err != nil {
		l.log.WarnContext(ctx, "queue not told: the lease runs out instead", "consumer", l.consumer.Name, "error", err)
	}
}

// delay obeys GitHub when it says how long, else grows with the deliveries.
func (l *lane) delay(m queue.Message, err error) time.Duration {
	d := l.backoff(m.Deliveries())
	var limit *github.RateLimitedError
	if errors.As(err, &limit) {
		d = max(d, limit.After)
	}
	return d
}

// keep extends the message's lease until stop is called.
func (l *lane) keep(ctx context.Context, m queue.Message) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(l.consumer.Lease / 3)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if err := m.Extend(); err != nil {
					l.log.WarnContext(ctx, "lease not extended", "consumer", l.consumer.Name, "error", err)
				}
			}
		}
	})
	return func() { close(done); wg.Wait() }
}

// pause waits for d or for ctx.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// DefaultBackoff doubles from one second to two minutes, with jitter so that what failed together does not come back
// together.
func DefaultBackoff(deliveries int) time.Duration {
	d := min(time.Second<<min(max(deliveries-1, 0), 7), 2*time.Minute)
	return d/2 + rand.N(d/2+1)
}
