package checks

import (
	"context"
	"fmt"
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
	g.SetLimit(s.p.opts.Workers)
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
			g.Go(func() error {
				for _, m := range memos {
					if s.table.holds(gctx, s, m, nil) {
						return gctx.Err()
					}
				}
				start := time.Now()
				s.interpretTask(gctx, t)
				s.spent.Add(int64(time.Since(start)))
				return gctx.Err()
			})
		}
		sure = sure && known
	}
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
