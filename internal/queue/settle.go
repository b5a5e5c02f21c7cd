package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// settleFor is how long a server waits for each stream that an external cluster answers for and cannot place yet. A cluster whose
// nodes just started has a leader some seconds before that leader counts the other nodes as online.
const (
	settleFor  = time.Minute
	settleStep = 4 * time.Second // between two tries, at most
)

// settle does what, again while the store says that it cannot be done at the moment. The embedded store is either up or
// broken, so there the first answer counts; none at all is what a process finds that stood still for as long as it may take.
func (c *Conn) settle(ctx context.Context, what func(context.Context) error) error {
	start := time.Now()
	for n := int64(0); ; n++ {
		err := what(ctx)
		if err == nil || !errors.Is(err, ErrUnavailable) || ctx.Err() != nil || c.opts.inProcess != nil && !unanswered(err) {
			return err
		}
		wait := min(backoff(n), settleStep)
		if time.Since(start)+wait > settleFor {
			if c.opts.Replicas > 1 {
				return fmt.Errorf("%w (are %d nodes of the cluster online, as %d replicas need?)", err, c.opts.Replicas, c.opts.Replicas)
			}
			return err
		}
		c.opts.Log.Warn(fmt.Sprintf("queue: %v (trying again in %s)", err, wait))
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
	}
}

func unanswered(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout)
}
