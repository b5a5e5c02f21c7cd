package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// handleFire does a developer's job: a script, or gatebot check, on a tree that the developer sent. Its log goes out
// while it runs. The client's name comes from the queue and not from the job.
func (r *runner) handleFire(ctx context.Context, m queue.Message, pool, client string) error {
	var job queue.Fire
	if err := json.Unmarshal(m.Data(), &job); err != nil || job.ID == "" || job.Head == "" || job.Tree == "" {
		r.log.Error("runner: job of a client cannot be read, dropped", "client", client, "error", err)
		return r.told(ctx, "drop", m.Drop(ctx, "job cannot be read"))
	}
	f := &firing{leased: &leased{runner: r, pool: pool, client: client, id: job.ID}, job: &job}
	log := r.log.With("job", job.ID, "client", client, "head", job.Head, "delivery", m.Deliveries())
	switch old, err := queue.GetFireState(ctx, r.notes, pool, client, job.ID); {
	case err == nil && old.State == queue.FireDone:
		log.Info("runner: job was finished before")
		return r.told(ctx, "acknowledgement", m.Ack(ctx))
	case err != nil && !errors.Is(err, queue.ErrNotFound):
		return errors.Join(r.told(ctx, "return of the job", m.Retry(r.Lease)), ctx.Err())
	}
	lease, _ := r.lease(m)
	r.work.hold(m, lease, r.log)
	defer r.work.letGo()
	log.Info("runner: job of a client taken", "name", job.Name, "script", job.Script)
	r.beat1(ctx, queue.RunnerBusy, client+"/"+job.ID)
	jctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := r.beat(m, cancel, func() error { return f.wanted(jctx) })
	defer stop()
	if err := f.cancelled(ctx); err != nil {
		if ok, err := f.claim(ctx, m); !ok {
			return err
		}
		return f.done(ctx, m, &queue.FireState{Class: queue.ClassCancelled, Reason: err.Error()})
	}
	if err := r.ready(jctx); err != nil && jctx.Err() == nil {
		r.quarantine(err)
		return r.told(ctx, "return of the job", m.Retry(0))
	}
	if ok, err := f.claim(jctx, m); !ok {
		return err
	}
	if err := f.started(jctx); err != nil {
		return r.told(ctx, "return of the job", m.Retry(r.Lease))
	}
	watch := r.watchCancel(jctx, cancel, f.leased)
	state, err := f.attempt(jctx)
	watch()
	switch {
	case err == nil:
	case errors.Is(context.Cause(jctx), errCancelled):
		state = &queue.FireState{Class: queue.ClassCancelled, Reason: context.Cause(jctx).Error()}
	case errors.Is(context.Cause(jctx), errLeaseLost):
		log.Error("runner: " + context.Cause(jctx).Error() + "; nothing of this attempt is kept")
		return ctx.Err()
	case ctx.Err() != nil:
		log.Info("runner: asked to stop, the job goes back")
		return errors.Join(ctx.Err(), m.Retry(0))
	default:
		return errors.Join(err, m.Retry(r.Lease))
	}
	res := &queue.Result{JobID: job.ID, Class: state.Class, Reason: state.Reason}
	r.after(jctx, res)
	if res.Class != state.Class {
		state.Class, state.Reason, state.Results = res.Class, res.Reason, nil
	}
	log.Info("runner: job of a client finished", "class", state.Class, "code", state.Code, "reason", state.Reason)
	return f.done(ctx, m, state)
}

// firing is one lease of a developer's job.
type firing struct {
	*leased
	job    *queue.Fire
	pieces int // of the log, sent
}

func (f *firing) started(ctx context.Context) error {
	return f.put(ctx, &queue.FireState{State: queue.FireStarted})
}

func (f *firing) put(ctx context.Context, s *queue.FireState) error {
	s.Epoch, s.Runner, s.Pieces, s.At = f.epoch(), f.Name, f.pieces, time.Now().UTC()
	if s.Device = f.device; s.Device == "" && len(f.machine.gpus) > 0 {
		s.Device = f.machine.gpus[0].Name
	}
	return queue.PutFireState(ctx, f.notes, f.pool, f.client, f.job.ID, *s)
}

// done says how it ended and acknowledges. It tries until the queue takes it: the developer waits for nothing else.
func (f *firing) done(ctx context.Context, m queue.Message, s *queue.FireState) error {
	ctx, cancel := outlast(ctx, lastTry)
	defer cancel()
	s.State = queue.FireDone
	for wait := 250 * time.Millisecond; ; wait = min(2*wait, 15*time.Second) {
		if err := f.overtaken(ctx); err != nil {
			f.log.Warn("runner: the end of a client's job came too late", "job", f.job.ID, "error", err)
			return ctx.Err() // whoever has it now says how it ended
		}
		err := f.put(ctx, s)
		if err == nil {
			return f.settled(ctx, m)
		}
		if errors.Is(err, queue.ErrTooLarge) && len(s.Results) > 0 {
			s.Results, s.Class, s.Reason = nil, queue.ClassInfra, fmt.Sprintf("the results file of %d bytes is more than the queue takes", len(s.Results))
			continue
		}
		f.log.Warn("runner: state of a client's job not taken yet", "job", f.job.ID, "error", err, "again_in", wait)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// settled says that the job's end is known, and acknowledges it.
func (f *firing) settled(ctx context.Context, m queue.Message) error {
	if err := f.grants.Settle(ctx, *f.grant.Load()); err != nil {
		f.log.Warn("runner: job not settled, it will come again", "job", f.job.ID, "error", err)
		return ctx.Err()
	}
	return f.told(ctx, "acknowledgement", m.Ack(ctx))
}
