package runner

import (
	"context"
	"sync"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// beats tells the server how this runner is: at every change, and a few times a minute.
type beats struct {
	mu   sync.Mutex
	now  queue.RunnerState
	kick chan struct{}
}

// beatEvery is a third of what makes a runner count as gone.
const beatEvery = queue.RunnerFresh / 3

// beat1 sets the state; it is sent from elsewhere and holds nobody up.
func (r *runner) beat1(_ context.Context, state, job string) {
	b := &r.state
	b.mu.Lock()
	defer b.mu.Unlock()
	changed := b.now.State != state || b.now.Job != job || b.now.Reason != r.reason
	b.now = queue.RunnerState{Name: r.Name, Pools: r.Pools, State: state, Job: job, Device: r.device, Reason: r.reason, Cards: r.cards}
	if b.now.Device == "" && len(r.machine.gpus) > 0 {
		b.now.Device = r.machine.gpus[0].Name
	}
	if state == queue.RunnerQuarantined {
		b.now.Since, b.now.Manual = r.since, r.manual
	}
	if changed && b.kick != nil {
		select {
		case b.kick <- struct{}{}:
		default:
		}
	}
}

// beating sends the state until it is stopped, and then that the runner has stopped.
func (r *runner) beating(ctx context.Context) (stop func()) {
	b := &r.state
	b.kick = make(chan struct{}, 1)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(beatEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			case <-b.kick:
			}
			r.sendState(ctx, "")
		}
	}()
	return func() {
		close(done)
		<-ended
		short, cancel := context.WithTimeout(context.WithoutCancel(ctx), startedFor)
		defer cancel()
		r.sendState(short, queue.RunnerStopped)
	}
}

func (r *runner) sendState(ctx context.Context, state string) {
	r.state.mu.Lock()
	s := r.state.now
	r.state.mu.Unlock()
	if s.Name == "" {
		return
	}
	if state != "" {
		s.State = state
	}
	if s.State == queue.RunnerBusy && r.draining() {
		s.State = queue.RunnerDraining
	}
	s.At = time.Now().UTC()
	if err := queue.Beat(ctx, r.notes, s); err != nil && ctx.Err() == nil {
		r.log.Debug("runner: state not sent", "error", err) // the connection says why
	}
}
