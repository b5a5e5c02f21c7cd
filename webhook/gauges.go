package webhook

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// census is what the last sweep saw of the records; a scrape must not read thousands of them again.
type census struct {
	states  map[State]int
	waiting map[string]time.Time // pool → since when its oldest job waits
	queued  map[string][]place   // pool → jobs that wait, oldest first
}

// place is one waiting job.
type place struct {
	key   string
	since time.Time
}

// gauges are read at each scrape.
func (s *Server) gauges(started time.Time) {
	m := s.planner.metrics
	m.set("gatebot_process_start_unix_seconds", float64(started.Unix()))
	m.gauges = append(m.gauges, func(ctx context.Context, set func(name, labels string, v float64)) {
		healthy := 0.0
		if s.intake.healthy(ctx) == nil {
			healthy = 1
		}
		set("gatebot_queue_healthy", "", healthy)
		if b, ok := s.opts.GitHub.(interface{ Budget() (used, limit int) }); ok {
			used, limit := b.Budget()
			set("gatebot_github_content_used", "", float64(used))
			set("gatebot_github_content_limit", "", float64(limit))
		}
		if c := s.planner.lastCensus(); c != nil {
			for state, n := range c.states {
				set("gatebot_jobs", labels("state", string(state)), float64(n))
			}
			for pool, since := range c.waiting {
				set("gatebot_oldest_waiting_seconds", labels("pool", pool), s.opts.Now().Sub(since).Seconds())
			}
		}
		s.depths(ctx, set)
		s.runners(ctx, set)
	})
}

// runners says of each runner how it is and when it was heard of.
func (s *Server) runners(ctx context.Context, set func(name, labels string, v float64)) {
	notes, ok := s.opts.Queue.(queue.Notes)
	if !ok {
		return
	}
	states, err := queue.RunnerStates(ctx, notes, slices.Sorted(maps.Keys(s.opts.Pools))...)
	if err != nil {
		return // the gauge of the queue's health says it
	}
	for _, r := range states {
		set("gatebot_runner_last_seen_unix_seconds", labels("runner", r.Name, "state", r.State), float64(r.At.Unix()))
	}
}

// depths asks the queue, where it can be asked.
func (s *Server) depths(ctx context.Context, set func(name, labels string, v float64)) {
	q, ok := s.opts.Queue.(interface {
		Depth(ctx context.Context, st queue.Stream, c queue.Consumer) (waiting, leased int, err error)
	})
	if !ok {
		return
	}
	for _, l := range s.lanes() {
		if n, _, err := q.Depth(ctx, l.stream, l.consumer); err == nil {
			set("gatebot_queue_waiting", labels("stream", string(l.stream), "consumer", l.consumer.Name), float64(n))
		}
	}
}

func (p *planner) lastCensus() *census { return p.counted.Load() }
