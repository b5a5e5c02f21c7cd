package runner

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// errLeaseLost ends an attempt without a result.
var errLeaseLost = errors.New("lease lost")

// errCancelled ends an attempt whose job nobody wants any more.
var errCancelled = errors.New("job cancelled")

// leased is a job that this runner holds. client is empty for the server's own jobs.
type leased struct {
	*runner
	pool, client, id string
	grant            atomic.Pointer[queue.Grant] // nil before the claim; the heart-beat reads it
}

func (l *leased) epoch() int {
	if g := l.grant.Load(); g != nil {
		return g.Epoch
	}
	return 0
}

// claim takes the number under which the job is executed, once. Without one it is not executed: what is not known to be
// the newest lease could be two at a time. ok is false when the job is done with or goes back; the error is for the caller
// to return.
func (l *leased) claim(ctx context.Context, m queue.Message) (ok bool, err error) {
	g, err := l.grants.Claim(ctx, l.pool, l.client, l.id, l.Name)
	switch {
	case errors.Is(err, queue.ErrSettled):
		l.log.Info("runner: job was finished before", "job", l.id, "epoch", g.Epoch, "by", g.Runner)
		return false, l.told(ctx, "acknowledgement", m.Ack(ctx))
	case err != nil:
		l.log.Warn("runner: the job has no number, it goes back", "job", l.id, "error", err)
		return false, l.told(ctx, "return of the job", m.Retry(l.Lease))
	}
	l.grant.Store(&g)
	return true, nil
}

// wanted is nil while the job is wanted, and from this runner. A queue that does not answer takes nothing away.
func (l *leased) wanted(ctx context.Context) error {
	if err := l.cancelled(ctx); err != nil {
		return err
	}
	return l.overtaken(ctx)
}

// cancelled is errCancelled with the reason when the word was left that the job is not wanted.
func (l *leased) cancelled(ctx context.Context) error {
	why, yes, err := queue.Cancelled(ctx, l.notes, l.pool, l.client, l.id)
	if err != nil || !yes {
		return nil //nolint:nilerr // the heart-beat says that the queue is away
	}
	return fmt.Errorf("%w: %s", errCancelled, why)
}

// overtaken is errLeaseLost when a newer lease of the job was granted.
func (l *leased) overtaken(ctx context.Context) error {
	mine := l.grant.Load()
	if mine == nil {
		return nil
	}
	now, err := l.grants.Granted(ctx, l.pool, l.client, l.id)
	if err != nil || now.Epoch <= mine.Epoch {
		return nil //nolint:nilerr // as above
	}
	return fmt.Errorf("%w: runner %s has the job now under number %d", errLeaseLost, now.Runner, now.Epoch)
}

// How soon a job that nobody wants is ended. Somebody sits and waits for the end of a script of their own.
const (
	cancelEvery     = 2 * time.Second
	fireCancelEvery = time.Second
)

// watchCancel looks more often than the heart-beat does: the next commit waits for the device.
func (r *runner) watchCancel(ctx context.Context, cancel context.CancelCauseFunc, l *leased) (stop func()) {
	done, every := make(chan struct{}), cancelEvery
	if l.client != "" {
		every = fireCancelEvery
	}
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := l.cancelled(ctx); err != nil {
				cancel(err)
				return
			}
		}
	}()
	return func() { close(done) }
}
