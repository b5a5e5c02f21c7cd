package webhook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/board"
)

// listFor is how long a list of all records serves: reading thousands of them for every reader of a page that looks again
// by itself would keep the store busy.
const listFor = 4 * time.Second

// overview is the source of the pages about everything (package board).
type overview struct {
	s    *Server
	mu   sync.Mutex
	jobs []board.Job
	at   time.Time
}

// boardRoutes adds the pages, when a token was given for them.
func (s *Server) boardRoutes(mux *http.ServeMux) error {
	if s.opts.BoardToken == "" {
		return nil
	}
	h, err := board.New(board.Options{Source: &overview{s: s}, Token: s.opts.BoardToken, Secure: strings.HasPrefix(s.opts.PublicURL, "https://"),
		Log: s.opts.Log, Now: s.opts.Now})
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	mux.Handle("/board", h)
	mux.Handle("/board/", h)
	return nil
}

// Jobs implements board.Source.
func (o *overview) Jobs(ctx context.Context) ([]board.Job, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.s.opts.Now()
	if o.jobs != nil && now.Sub(o.at) < listFor {
		return o.jobs, nil
	}
	p := o.s.planner
	keys, err := p.q.Keys(ctx, queue.BucketJobs)
	if err != nil {
		return nil, err
	}
	jobs := []board.Job{}
	for _, key := range keys {
		r, _, err := p.load(ctx, key)
		if errors.Is(err, queue.ErrNotFound) {
			continue // forgotten since
		}
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, p.boardJob(r))
	}
	slices.SortFunc(jobs, func(a, b board.Job) int { return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.Key, b.Key)) })
	o.jobs, o.at = jobs, now
	return jobs, nil
}

func (p *planner) boardJob(r *Record) board.Job {
	j := board.Job{Key: r.Key, Repo: r.Repo.Owner + "/" + r.Repo.Name, Check: r.Check, Head: r.Head, PR: r.PR, Author: r.Author, Runner: r.Runner,
		URL: p.details(r), Mainline: r.PR == 0, Created: r.Created, Updated: r.Updated}
	j.Ref = strings.TrimPrefix(strings.TrimPrefix(r.HeadRef, "refs/heads/"), "refs/")
	switch {
	case r.State == StateDone:
		j.State = "done"
		if r.Final != nil {
			j.Conclusion, j.Title = string(r.Final.Conclusion), r.Final.Title
		}
	case r.InProgress:
		j.State = "running"
	default:
		j.State = "waiting"
		if r.Position > 0 {
			j.Title = fmt.Sprintf("place %d in pool %s", r.Position, r.Pool)
		}
	}
	return j
}

// Results implements board.Source.
func (o *overview) Results(ctx context.Context, key string) (*finding.Results, error) {
	r, _, err := o.s.planner.load(ctx, key)
	if errors.Is(err, queue.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return o.s.planner.storedResults(ctx, resultsName(r))
}

// Runners implements board.Source: all that are configured, and silent are those that were not heard of lately.
func (o *overview) Runners(ctx context.Context) ([]board.Runner, error) {
	known := map[string]queue.RunnerState{}
	if notes, ok := o.s.opts.Queue.(queue.Notes); ok {
		states, err := queue.RunnerStates(ctx, notes, slices.Sorted(maps.Keys(o.s.opts.Pools))...)
		if err != nil {
			return nil, err
		}
		for _, s := range states {
			known[s.Name] = s
		}
	}
	var out []board.Runner
	for name, pools := range o.s.opts.Pools {
		r := board.Runner{Name: name, Pools: pools, State: "silent"}
		if s, ok := known[name]; ok {
			r.Reason, r.Job, r.Device, r.Seen = s.Reason, s.Job, s.Device, s.At
			if s.Fresh(o.s.opts.Now()) {
				r.State = s.State
			}
		}
		out = append(out, r)
	}
	return out, nil
}
