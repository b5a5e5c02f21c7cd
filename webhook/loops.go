package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

// lanes: one consumer per event type, so that a long fetch for one never keeps a merge group waiting for its queued
// run; results on their own; the fix log in the order of the pushes.
func (s *Server) lanes() []*lane {
	one := func(stream queue.Stream, name, sub string, workers int, handle func(context.Context, queue.Message) error) *lane {
		inFlight := waitingAtOnce
		if workers == 1 {
			inFlight = 1 // in order
		}
		return &lane{
			q: s.opts.Queue, stream: stream, backoff: s.opts.Backoff, log: s.opts.Log, handle: handle, workers: workers,
			consumer: queue.Consumer{Name: name, Sub: sub, Lease: s.opts.Lease, MaxInFlight: inFlight},
		}
	}
	lanes := []*lane{one(queue.Results, "results", "", 4, func(ctx context.Context, m queue.Message) error {
		return s.planner.handleResult(ctx, m.Sub(), m.Data())
	})}
	for event := range parsers {
		lanes = append(lanes, one(queue.Events, "plan-"+event, event, 4, s.event(s.planner.Plan)))
	}
	if s.fixlog != nil {
		lanes = append(lanes, one(queue.Events, "fixlog", "push", 1, s.event(s.fixlog.onEvent)))
	}
	return lanes
}

// waitingAtOnce is how many messages of a lane may be waiting to be tried again. What waits counts as in flight, and a
// consumer at its limit stops delivering without a word (nats-server#4112): a few commits that GitHub does not show yet
// must not hold up everybody else's.
const waitingAtOnce = 2000

// event wraps a handler of triggers: it decodes, puts the delivery on every log line and drops what cannot be used.
func (s *Server) event(handle func(context.Context, queue.Event, Trigger) error) func(context.Context, queue.Message) error {
	return func(ctx context.Context, m queue.Message) error {
		var ev queue.Event
		if err := json.Unmarshal(m.Data(), &ev); err != nil {
			return &dropError{"event cannot be read: " + err.Error()}
		}
		ctx = withDelivery(ctx, ev)
		t, err := parseEvent(ev.Type, ev.Payload, !s.opts.AsToken)
		if err != nil {
			return &dropError{fmt.Sprintf("delivery %s: %v", ev.Delivery, err)}
		}
		err = handle(ctx, ev, t)
		s.counted(ev.Type, err)
		if err != nil && s.opts.Now().Sub(ev.Received) > giveUpEvent {
			return &dropError{fmt.Sprintf("delivery %s: given up after %s: %v", ev.Delivery, giveUpEvent, err)}
		}
		return err
	}
}

// counted counts what became of an event.
func (s *Server) counted(event string, err error) {
	outcome := "done"
	if err != nil {
		outcome = "again"
	}
	s.opts.Metrics.add("gatebot_events_total", 1, "event", event, "outcome", outcome)
}

// giveUpEvent is when an event that always fails is dropped; what it planned is ended long before that.
const giveUpEvent = 48 * time.Hour

// loops are what one server does at a time, whatever their number. Each returns when its ctx ends; work ends later.
func (s *Server) loops(work context.Context) map[string]func(ctx context.Context) {
	loops := map[string]func(context.Context){
		"sweep":   func(ctx context.Context) { s.sweeping(ctx, work) },
		"present": s.presenting,
		"mirrors": s.tidying,
	}
	if s.opts.Poll == 0 && !s.opts.AsToken {
		loops["deliveries"] = s.recovering
	}
	return loops
}

// alone runs a loop while this server is the one that does, and waits for its turn otherwise.
func (s *Server) alone(ctx context.Context, name string, loop func(context.Context)) {
	leader := func(v float64) { s.planner.metrics.set("gatebot_leader", v, "loop", name) }
	if s.planner.shared == nil || name == "mirrors" { // mirrors are each server's own
		leader(1)
		loop(ctx)
		return
	}
	for ctx.Err() == nil {
		leader(0)
		held, release, err := s.planner.shared.acquire(ctx, "loop/"+name)
		if err != nil {
			return
		}
		s.opts.Log.InfoContext(ctx, "this server runs the loop now", "loop", name)
		leader(1)
		loop(held)
		release()
	}
}

func (s *Server) sweeping(ctx, work context.Context) {
	for start := s.planner.shared == nil; ; start = false {
		if err := s.planner.sweep(work, start); err != nil && ctx.Err() == nil {
			s.opts.Log.WarnContext(ctx, "sweep", "error", err)
		}
		pause(ctx, s.opts.Sweep)
		if ctx.Err() != nil {
			return
		}
	}
}

// recovering looks for missed deliveries: at the start, again when those have shown up that GitHub was still waiting for
// (it gives up after 10 s), then now and then.
func (s *Server) recovering(ctx context.Context) {
	for wait := min(20*time.Second, s.opts.Recover); ctx.Err() == nil; wait = s.opts.Recover {
		if err := s.planner.recover(ctx); err != nil && ctx.Err() == nil {
			s.opts.Log.WarnContext(ctx, "missed webhooks not looked for", "error", err)
		}
		pause(ctx, wait)
	}
}

// orphansEvery is the time between looks for check runs that nothing stands behind: one request for each open head.
const orphansEvery = time.Hour

// presenting looks at what is open. With webhooks it is the last line and waits until they have had their chance.
func (s *Server) presenting(ctx context.Context) {
	every, seen, looked := s.opts.Present, s.opts.Now(), time.Time{}
	if s.opts.Poll > 0 {
		every, seen = s.opts.Poll, s.opts.Now().Add(-time.Hour)
	} else {
		pause(ctx, min(every, time.Minute))
	}
	for ctx.Err() == nil {
		at := s.opts.Now()
		orphans := at.Sub(looked) > orphansEvery
		err := s.planner.reconcile(ctx, orphans)
		if err == nil && orphans {
			looked = at
			err = s.planner.forgetReruns(ctx)
		}
		if s.opts.Poll > 0 && err == nil {
			if err = s.planner.pollComments(ctx, seen.Add(-time.Minute)); err == nil {
				seen = at
			}
		}
		wait := every
		if err != nil && ctx.Err() == nil {
			s.opts.Log.WarnContext(ctx, "what is open was not looked at", "error", err)
			var limit *github.RateLimitedError
			if errors.As(err, &limit) {
				wait = max(wait, limit.After)
			}
		}
		pause(ctx, wait)
	}
}

// tidyEvery is the time between packings of the mirrors.
const tidyEvery = 24 * time.Hour

func (s *Server) tidying(ctx context.Context) {
	m, ok := s.opts.Mirrors.(interface {
		Tidy(ctx context.Context, keep time.Duration) error
	})
	for ok {
		pause(ctx, tidyEvery)
		if ctx.Err() != nil {
			return
		}
		if err := m.Tidy(ctx, s.opts.Policy.KeepRecord); err != nil && ctx.Err() == nil {
			s.opts.Log.WarnContext(ctx, "mirrors not tidied", "error", err)
		}
	}
}

func (s *Server) exhausted(ctx context.Context, x queue.Exhauster) {
	for ctx.Err() == nil {
		if err := x.Exhausted(ctx, s.planner.handleExhausted); err != nil && ctx.Err() == nil {
			s.opts.Log.ErrorContext(ctx, "queue: exhausted jobs are not watched", "error", err)
			pause(ctx, s.opts.Backoff(4))
		}
	}
}

// limiting keeps the queue fair between developers, and between them and commits.
func (s *Server) limiting(ctx context.Context, x queue.FireLimiter) {
	for ctx.Err() == nil {
		if err := x.LimitFires(ctx, s.opts.FireQueued); err != nil && ctx.Err() == nil {
			s.opts.Log.ErrorContext(ctx, "queue: jobs of developers are not counted", "error", err)
			pause(ctx, s.opts.Backoff(4))
		}
	}
}
