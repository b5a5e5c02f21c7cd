package webhook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/board"
	"github.com/gatebot/gatebot/webhook/board/signin"
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

	repos repoPages
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

// boardJob is a record as the pages show it.
func (p *planner) boardJob(r *Record) board.Job {
	j := board.Job{Key: r.Key, Repo: signRepo(r.Repo), Check: r.Check, Head: r.Head, Base: r.Base, PR: r.PR, Author: r.Author, Runner: r.Runner,
		Pool: r.Pool, Attempt: r.Attempt, Mainline: r.PR == 0, HasResults: r.Verdict(), Facts: recordFacts(r), Created: r.Created, Updated: r.Updated}
	j.Ref = strings.TrimPrefix(strings.TrimPrefix(r.HeadRef, "refs/heads/"), "refs/")
	switch {
	case r.State == StateDone:
		j.State = "done"
		if r.Final != nil {
			j.Conclusion, j.Title = string(r.Final.Conclusion), r.Final.Title
		}
	case r.InProgress:
		j.State, j.Title = "running", "running on "+r.Runner
	default:
		j.State, j.Title = "waiting", "being prepared"
		if r.State == StateQueued {
			j.Title = "waits for a runner of pool " + r.Pool
			if place := p.placeOf(r); place != "" {
				j.Title = "place " + place + " in pool " + r.Pool
			}
		}
	}
	return j
}

// recordFacts are what a reader may want to know of a record beside the commit and its state.
func recordFacts(r *Record) []board.Fact {
	var out []board.Fact
	add := func(name, value string) { out = append(out, board.Fact{Name: name, Value: value}) }
	if r.Attempt > 1 || r.Infra > 0 {
		add("attempt", fmt.Sprintf("%d, %d spoilt by infrastructure", r.Attempt, r.Infra))
	}
	if a := r.ApprovedBy; a != nil {
		add("approved by", a.By)
	}
	if r.Reused != "" {
		add("verdict of", fmt.Sprintf("%.12s, which has the same tree", r.Reused))
	}
	for _, path := range r.GateChanged {
		add("changes the gate", path)
	}
	return out
}

func signRepo(r queue.Repo) signin.Repo { return signin.Repo{ID: r.ID, Owner: r.Owner, Name: r.Name} }

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
			r.Reason, r.Job, r.Device, r.Seen = s.Reason, keyOf(s.Job), s.Device, s.At
			r.Since, r.Manual, r.Health = s.Since, s.Manual, cardFacts(s.Cards, o.s.opts.Now())
			if s.Fresh(o.s.opts.Now()) {
				r.State = s.State
			}
		}
		out = append(out, r)
	}
	return out, nil
}

// keyOf is the key of a job of ours by the id of one of its attempts; another id stays as it is.
func keyOf(id string) string {
	if key, n, ok := strings.Cut(id, ".a"); ok {
		if _, err := strconv.Atoi(n); err == nil {
			return key
		}
	}
	return id
}

// cardFacts are what a runner last saw of its devices.
func cardFacts(cards []queue.CardState, now time.Time) []board.Fact {
	var out []board.Fact
	for i, c := range cards {
		name := "looked at"
		if len(cards) > 1 {
			name = fmt.Sprintf("GPU %d", i)
		}
		parts := []string{fmt.Sprintf("%d of %d GiB free", (c.TotalBytes-c.UsedBytes)>>30, c.TotalBytes>>30), "driver " + c.Driver}
		if c.Celsius != nil {
			parts = append(parts, fmt.Sprintf("%d °C", *c.Celsius))
		}
		if c.Uncorrected != nil {
			parts = append(parts, fmt.Sprintf("%d uncorrected memory errors", *c.Uncorrected))
		}
		if c.Processes > 0 {
			parts = append(parts, fmt.Sprintf("%d processes", c.Processes))
		}
		out = append(out, board.Fact{Name: name, Value: board.Ago(now, c.At) + ": " + strings.Join(parts, ", ")})
	}
	return out
}
