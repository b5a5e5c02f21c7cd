package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/gatebot/gatebot/internal/crash"
	"github.com/gatebot/gatebot/internal/queue"
)

// lastTry is how long a finished result is tried to be sent when the runner is asked to stop; it stays in the spool.
const lastTry = 5 * time.Second

// handle does one leased job. Only what stops the runner is an error.
func (r *runner) handle(ctx context.Context, m queue.Message) error {
	if pool, client, ok := queue.ParseFireSub(m.Sub()); ok {
		return r.handleFire(ctx, m, pool, client)
	}
	var job queue.Job
	if err := json.Unmarshal(m.Data(), &job); err != nil || job.ID == "" || job.Head == "" || job.Tree == "" {
		r.log.Error("runner: job cannot be read, dropped", "error", err)
		return r.told(ctx, "drop", m.Drop(ctx, "job cannot be read"))
	}
	lease, _ := r.lease(m)
	r.work.hold(m, lease, r.log)
	defer r.work.letGo()
	log := r.log.With("job", job.ID, "head", job.Head, "delivery", m.Deliveries())
	if old, err := r.spool.find(job.ID); err != nil {
		return err
	} else if old != nil {
		log.Info("runner: job was finished before, sending its result again")
		old.Pool = job.Pool // of a version that did not note it
		return r.deliver(ctx, m, old)
	}
	log.Info("runner: job taken", "repository", job.Repo.Owner+"/"+job.Repo.Name)
	r.beat1(ctx, queue.RunnerBusy, job.ID)
	jctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	l := &leased{runner: r, pool: job.Pool, id: job.ID}
	stop := r.beat(m, cancel, func() error { return l.wanted(jctx) })
	defer stop()
	if err := l.cancelled(ctx); err != nil {
		return r.dropCancelled(ctx, m, err)
	}
	if err := r.ready(jctx); err != nil && jctx.Err() == nil {
		r.quarantine(err)
		return r.told(ctx, "return of the job", m.Retry(0))
	}
	if ok, err := l.claim(jctx, m); !ok {
		return err
	}
	log = log.With("epoch", l.epoch())
	log.Info("runner: job begins")
	r.started(ctx, &job, l.epoch())
	watch := r.watchCancel(jctx, cancel, l)
	res, err := r.attempt(jctx, &job, l)
	watch()
	switch {
	case err == nil:
		r.after(jctx, res)
	case errors.Is(context.Cause(jctx), errCancelled):
		return r.dropCancelled(ctx, m, context.Cause(jctx))
	case errors.Is(context.Cause(jctx), errLeaseLost):
		log.Error("runner: " + context.Cause(jctx).Error() + "; nothing of this attempt is kept")
		return ctx.Err()
	case ctx.Err() != nil:
		log.Info("runner: asked to stop, the job goes back")
		return errors.Join(ctx.Err(), m.Retry(0))
	default:
		return errors.Join(err, m.Retry(r.Lease))
	}
	log.Info("runner: job finished", "class", res.Class, "reason", res.Reason, "took", res.Finished.Sub(res.Started))
	if err := r.spool.put(res); err != nil {
		return errors.Join(fmt.Errorf("runner: spool: %w", err), m.Retry(r.Lease))
	}
	crash.At(crash.ResultSpooled)
	return r.deliver(ctx, m, res)
}

// startedFor is how long the word that a job has started may hold it up.
const startedFor = 2 * time.Second

// started tells the server that this lease has the job: the check run goes to "in progress", and what an earlier lease
// still sends counts for nothing. Without it the job runs all the same.
func (r *runner) started(ctx context.Context, job *queue.Job, epoch int) {
	data, err := json.Marshal(queue.Result{JobID: job.ID, Key: job.Key, Attempt: job.Attempt, Epoch: epoch, Runner: r.Name,
		Class: queue.ClassStarted, Started: time.Now().UTC()})
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, startedFor)
		defer cancel()
		_, err = r.q.Publish(ctx, queue.Results, r.Name, fmt.Sprintf("%s/%d/started", job.ID, epoch), data)
	}
	if err != nil {
		r.log.Warn("runner: the server does not know yet that the job has started", "job", job.ID, "error", err)
	}
}

func (r *runner) dropCancelled(ctx context.Context, m queue.Message, why error) error {
	r.log.Info("runner: " + why.Error())
	return r.told(ctx, "end of a cancelled job", m.Drop(ctx, why.Error()))
}

// after looks at the devices once the job is gone, and at the runner itself when jobs end without a verdict.
func (r *runner) after(ctx context.Context, res *queue.Result) {
	err := r.settled(ctx)
	if ctx.Err() != nil {
		return // the look before the next job finds the same
	}
	if errors.Is(err, errHardware) {
		r.infra(res, err.Error()+" while the job ran; what it found does not count")
	}
	if err != nil {
		r.quarantine(fmt.Errorf("after job %s: %w", res.JobID, err))
		return
	}
	r.count(ctx, res.Class == queue.ClassInfra, res.Reason)
}

// beat extends the lease until the returned function is called. When it could not for two leases, or asked says so, it
// cancels the job.
func (r *runner) beat(m queue.Message, cancel context.CancelCauseFunc, asked func() error) (stop func()) {
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		last := time.Now()
		lease, every := r.lease(m)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			err := m.Extend()
			if err == nil {
				last = time.Now()
				r.work.stillHeld()
				if err := asked(); err != nil {
					cancel(err)
					return
				}
				continue
			}
			r.log.Warn("runner: heart-beat failed", "error", err, "since", time.Since(last).Round(time.Millisecond))
			if time.Since(last) > 2*lease {
				cancel(fmt.Errorf("%w: the queue could not be reached for two leases", errLeaseLost))
				return
			}
		}
	}()
	stopped := false
	return func() {
		if !stopped {
			stopped = true
			close(done)
			<-ended
		}
	}
}

// lease is how long the queue leaves a job to a silent runner, and the time between heart-beats. What the queue says
// counts more than what this runner was told.
func (r *runner) lease(m queue.Message) (lease, beat time.Duration) {
	lease, beat = r.Lease, r.Beat
	if g, ok := m.(interface{ Lease() time.Duration }); ok && g.Lease() > 0 {
		lease = g.Lease()
	}
	return lease, min(beat, lease/4)
}

// deliver publishes a spooled result, acknowledges its job and forgets both. It tries until the queue takes it.
func (r *runner) deliver(ctx context.Context, m queue.Message, res *queue.Result) error {
	ctx, cancel := outlast(ctx, lastTry)
	defer cancel()
	if err := r.publish(ctx, res); err != nil {
		return err
	}
	crash.At(crash.ResultStored)
	if err := r.spool.sent(res); err != nil {
		return err
	}
	if err := r.grants.Settle(ctx, queue.Grant{Pool: res.Pool, ID: res.JobID, Epoch: res.Epoch}); errors.Is(err, queue.ErrLeaseLost) {
		// Whoever has the job now acknowledges it; the server drops what came from here.
		r.log.Warn("runner: the result came too late", "job", res.JobID, "error", err)
		return r.spool.drop(res)
	} else if err != nil {
		r.log.Warn("runner: job not settled, it will come again", "job", res.JobID, "error", err)
		return ctx.Err()
	}
	if err := m.Ack(ctx); err != nil {
		// The queue has the result; the job comes again, is found in the spool and acknowledged then.
		r.log.Warn("runner: job not acknowledged, it will come again", "job", res.JobID, "error", err)
		return ctx.Err()
	}
	return r.spool.drop(res)
}

// publish sends a result under an id of its own, so that the queue keeps it once however often it comes.
func (r *runner) publish(ctx context.Context, res *queue.Result) error {
	data, err := json.Marshal(res)
	if err != nil {
		return fmt.Errorf("runner: result of %s: %w", res.JobID, err)
	}
	for wait := 250 * time.Millisecond; ; wait = min(2*wait, 15*time.Second) {
		_, err := r.q.Publish(ctx, queue.Results, r.Name, fmt.Sprintf("%s/%d", res.JobID, res.Epoch), data)
		if err == nil {
			return nil
		}
		if errors.Is(err, queue.ErrTooLarge) && len(res.Results) > 0 {
			data, err = json.Marshal(tooLarge(res, len(data)))
			if err != nil {
				return fmt.Errorf("runner: result of %s: %w", res.JobID, err)
			}
			continue
		}
		r.log.Warn("runner: result not taken yet, it is kept", "job", res.JobID, "error", err, "again_in", wait)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// tooLarge is what is sent instead of a result that the queue does not take: no verdict, and the reason.
func tooLarge(res *queue.Result, size int) *queue.Result {
	out := *res
	out.Class, out.Results = queue.ClassInfra, nil
	out.Reason = fmt.Sprintf("the results file makes a message of %d bytes, more than the queue takes", size)
	return &out
}

// flush sends what an earlier run left in the spool. Its jobs come again and are known by the spool then.
func (r *runner) flush(ctx context.Context) error {
	left, err := r.spool.list()
	if err != nil {
		return err
	}
	for _, res := range left {
		r.log.Info("runner: sending a result from before the restart", "job", res.JobID)
		if err := r.publish(ctx, res); err != nil {
			return err
		}
		if err := r.spool.sent(res); err != nil {
			return err
		}
	}
	return nil
}

// outlast is a context that ends d after ctx does.
func outlast(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		t := time.AfterFunc(d, cancel)
		context.AfterFunc(longer, func() { t.Stop() })
	})
	return longer, func() { stop(); cancel() }
}

// told logs a word that the queue did not take; the lease will run out instead.
func (r *runner) told(ctx context.Context, what string, err error) error {
	if err != nil {
		r.log.Warn("runner: "+what+" not taken", "error", err)
	}
	return ctx.Err()
}
