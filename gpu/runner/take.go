package runner

import (
	"context"
	"errors"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// between is how long a runner sleeps between two looks at the queue when no bell rings. Jobs that come back from another
// runner ring none.
const between = time.Second

// take waits until this runner may work, its devices are free and there is a job, and leases that. done gives the
// devices back. No job is leased that would have to wait for a device: another runner may have one.
func (r *runner) take(ctx context.Context) (m queue.Message, done func(), err error) {
	t, ok := r.q.(queue.Trier)
	if !ok {
		return nil, nil, errors.New("runner: this queue cannot be asked without waiting")
	}
	var ring <-chan struct{}
	stop := func() {}
	defer func() { stop() }()
	said := ""
	say := func(what string, err error) {
		if text := what + err.Error(); text != said {
			said = text
			r.log.Warn("runner: "+what, "error", err)
		}
	}
	for {
		if r.draining() {
			return nil, nil, errDrained
		}
		if ring == nil {
			if bell, end, err := t.Bell(r.Pools...); err == nil {
				ring, stop = bell, end
			}
		}
		switch m, done, err = r.tryTake(ctx, t); {
		case m != nil:
			return m, done, nil
		case errors.Is(err, queue.ErrClosed):
			return nil, nil, err
		case errors.Is(err, errDeviceBusy):
			say("waiting for the device", err)
		case err != nil && ctx.Err() == nil:
			say("no job could be taken, trying again", err)
		}
		select {
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-ring:
		case <-time.After(between):
		}
	}
}

var errDeviceBusy = errors.New("another runner of this host has the GPU")

func (r *runner) tryTake(ctx context.Context, t queue.Trier) (queue.Message, func(), error) {
	if !r.admitted(ctx) {
		r.beat1(ctx, queue.RunnerQuarantined, "")
		return nil, nil, nil
	}
	r.beat1(ctx, queue.RunnerIdle, "")
	lock, ok, err := r.lockGPUs()
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, nil, errDeviceBusy
	}
	consumers := queue.ForRunner(r.Name, r.Pools)
	for i := range consumers {
		consumers[i].Lease = r.Lease
	}
	m, err := t.Try(ctx, queue.Jobs, consumers...)
	if m == nil {
		lock.release()
		return nil, nil, err
	}
	return m, lock.release, nil
}
