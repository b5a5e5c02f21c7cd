package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// lanes: one consumer per event type, so that a long fetch for one never keeps a merge group waiting for its queued
// run; results on their own; the fix log in the order of the pushes.
func (s *Server) lanes() []*lane {
	one := func(stream queue.Stream, name, sub string, workers int, handle func(context.Context, queue.Message) error) *lane {
		return &lane{
			q: s.opts.Queue, stream: stream, backoff: s.opts.Backoff, log: s.opts.Log, handle: handle,
			consumer: queue.Consumer{Name: name, Sub: sub, Lease: s.opts.Lease, MaxInFlight: workers},
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

// event wraps a handler of triggers: it decodes, puts the delivery on every log line and drops what cannot be used.
func (s *Server) event(handle func(context.Context, queue.Event, Trigger) error) func(context.Context, queue.Message) error {
	return func(ctx context.Context, m queue.Message) error {
		var ev queue.Event
		if err := json.Unmarshal(m.Data(), &ev); err != nil {
			return &dropError{"event cannot be read: " + err.Error()}
		}
		ctx = withDelivery(ctx, ev)
		t, err := Parse(ev.Type, ev.Payload)
		if err != nil {
			return &dropError{fmt.Sprintf("delivery %s: %v", ev.Delivery, err)}
		}
		err = handle(ctx, ev, t)
		if err != nil && s.opts.Now().Sub(ev.Received) > giveUpEvent {
			return &dropError{fmt.Sprintf("delivery %s: given up after %s: %v", ev.Delivery, giveUpEvent, err)}
		}
		return err
	}
}

// giveUpEvent is when an event that always fails is dropped; what it planned is ended long before that.
const giveUpEvent = 48 * time.Hour

func (s *Server) sweeping(ctx, work context.Context) {
	for start := true; ; start = false {
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

func (s *Server) exhausted(ctx context.Context, x queue.Exhauster) {
	for ctx.Err() == nil {
		if err := x.Exhausted(ctx, s.planner.handleExhausted); err != nil && ctx.Err() == nil {
			s.opts.Log.ErrorContext(ctx, "queue: exhausted jobs are not watched", "error", err)
			pause(ctx, s.opts.Backoff(4))
		}
	}
}
