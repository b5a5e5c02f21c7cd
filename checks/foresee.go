package checks

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// Which tasks there are is known from what those before them have led to, turn by turn, and after a change each turn has one or
// two that have to run again: most of the time one of them is run, and the other cores wait. Mostly a task that runs again leads
// to the functions that it led to before. So it is taken for granted that it does, all that seem to have to run are run side by
// side, and then the turns are taken as they really are. What a task gives depends on the project alone: one that was run for
// nothing has cost its time, and no more.

// foresee runs the tasks that no memory holds the outcome of any more.
func (s *scan) foresee(ctx context.Context, turns [][]*Func) error {
	if s.table == nil || s.trace != nil || len(s.table.units) == 0 || s.p.opts.Workers < 2 {
		return nil
	}
	g, gctx := errgroup.WithContext(ctx)
	q := newQueue()
	leave := s.p.opts.Pace.enter()
	defer leave()
	left := int32(2 * s.p.opts.Workers) // one may wait for what another one finds out, and the cores have work all the same
	for range left {
		g.Go(func() error {
			err := s.work(gctx, q)
			if atomic.AddInt32(&left, -1) < int32(s.p.opts.Workers) {
				leave()
			}
			return err
		})
	}
	s.ahead = map[string]*task{}
	callers, sure := map[*Func]bool{}, true
	for _, funcs := range turns {
		known := true
		for _, t := range s.tasks(funcs, callers) {
			if gctx.Err() != nil {
				break
			}
			t.key = s.key(t)
			memos := s.table.units[t.key]
			if len(memos) == 0 {
				if known = false; !sure {
					continue // it is there only because it is not known what another one leads to
				}
			} else {
				s.follow(memos[0].out, callers)
			}
			s.ahead[t.key] = t
			q.put(&foreseen{task: t, memos: memos})
		}
		sure = sure && known
	}
	q.end()
	if err := g.Wait(); err != nil {
		return fmt.Errorf("scan: %w", err)
	}
	for key, t := range s.ahead {
		if !t.ran {
			delete(s.ahead, key)
		}
	}
	return nil
}

// work runs what the queue hands out.
func (s *scan) work(ctx context.Context, q *queue) error {
	for f := q.next(); f != nil; f = q.next() {
		if f.due {
			start := time.Now()
			s.interpretTask(ctx, f.task)
			s.spent.Add(int64(time.Since(start)) / 2) // there are two of them for a core
			continue
		}
		s.ask(ctx, q, f)
	}
	return ctx.Err()
}

// ask finds out whether a task has to run.
func (s *scan) ask(ctx context.Context, q *queue, f *foreseen) {
	due := false
	defer func() { q.told(f, due) }()
	due = !slices.ContainsFunc(f.memos, func(m *memo) bool { return s.table.holds(ctx, s, m, nil) })
}

// follow adds the functions that a task has led to. What finds them is made on demand, while tasks run.
func (s *scan) follow(o *outcome, callers map[*Func]bool) {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	funcs := s.functions(o)
	for _, i := range o.Callers {
		if f := funcs[i]; f != nil {
			callers[f] = true
		}
	}
}
