package checks

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// A task is the interpretation of some hot functions of one file. It starts from nothing: what it gives depends on the
// facts that it asks for and on nothing that another task has done, so that tasks run side by side, and a task whose
// facts have not changed since another scan need not run at all.
type task struct {
	mod    *module
	funcs  []*Func
	rest   *rest // set when only what no caller leads to is looked at
	around bool  // set for functions beside the hot path
	key    string
	out    *outcome
	facts  []factWas // what it asked for, when that is remembered
	reads  []uint32  // see memo
	ran    bool      // false when the outcome is remembered
	err    map[string]error
}

// interpret looks at every hot function: first at the ones that no other hot function calls, then at those that no
// caller has been followed into, in the order of their distance from a root. All functions of one distance are looked
// at before the next, since what they lead to needs no look of its own.
func (s *scan) interpret(ctx context.Context) error {
	turns := s.turns()
	if err := s.foresee(ctx, turns); err != nil {
		return err
	}
	for _, funcs := range turns {
		if err := s.run(ctx, s.tasks(funcs, s.callers)); err != nil {
			return err
		}
	}
	if err := s.run(ctx, s.unreached()); err != nil {
		return err
	}
	if err := s.run(ctx, s.around()); err != nil {
		return err
	}
	s.sink.settle(s.handings)
	for _, path := range sortedKeys(s.failed) {
		s.p.unread = append(s.p.unread, unreadable{path: path, why: s.failed[path].Error(), transient: true})
	}
	return nil
}

// turns are the functions of the hot path in the order in which they are looked at.
func (s *scan) turns() (out [][]*Func) {
	by := map[int][]*Func{}
	for _, f := range s.hot.order {
		n := s.turn(f)
		by[n] = append(by[n], f)
	}
	for _, n := range slices.Sorted(maps.Keys(by)) {
		slices.SortFunc(by[n], func(a, b *Func) int { return cmp.Or(strings.Compare(a.Path, b.Path), a.ord-b.ord) })
		out = append(out, by[n])
	}
	return out
}

// tasks are the functions that no caller has been followed into, by file.
func (s *scan) tasks(order []*Func, callers map[*Func]bool) []*task {
	var out []*task
	for _, f := range order {
		if callers[f] {
			continue
		}
		if n := len(out); n == 0 || out[n-1].mod != f.mod {
			out = append(out, &task{mod: f.mod})
		}
		t := out[len(out)-1]
		t.funcs = append(t.funcs, f)
	}
	return out
}

// run gives every task its outcome, and takes the outcomes in the order of the tasks.
func (s *scan) run(ctx context.Context, tasks []*task) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(s.p.opts.Workers)
	if s.trace != nil {
		g.SetLimit(1) // it is told about values as they come
	}
	for _, t := range tasks {
		if gctx.Err() != nil {
			break
		}
		if t.key = s.key(t); s.table.recall(gctx, s, t) {
			continue
		}
		s.fresh++
		if a := s.ahead[t.key]; a != nil {
			*t = *a
			continue
		}
		g.Go(func() error {
			start := time.Now()
			s.interpretTask(gctx, t)
			s.spent.Add(int64(time.Since(start)))
			return gctx.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return fmt.Errorf("scan: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("scan: %w", err)
	}
	for _, t := range tasks {
		s.table.remember(t)
		s.take(t.out)
		for path, err := range t.err {
			s.failed[path] = err
		}
	}
	return nil
}

// interpretTask runs a task.
func (s *scan) interpretTask(ctx context.Context, t *task) {
	in := newInterp(ctx, s.p, s.hot, s.hooks, newSink())
	in.limit, in.trace, in.states = s.limit, s.trace, s.states
	in.rest, in.around = t.rest, t.around
	in.asked.idle = s.table == nil
	var broken []savedError
	for _, f := range t.funcs {
		if in.callers[f] || ctx.Err() != nil {
			continue
		}
		if err := in.runEntry(f); err != nil {
			broken = append(broken, savedError{nameOf(f), err.Error()})
		}
	}
	k := &keeper{in, s.p}
	t.out = k.keep()
	t.out.Broken = broken
	t.ran, t.err = true, in.failed
	in.rested(func(r *stateBasis) {
		for path, err := range r.failed {
			t.err[path] = err
		}
	})
	if s.table != nil && len(t.err) == 0 {
		// Now, not when all tasks have run: the tables of a thousand tasks are most of what a scan would hold.
		t.facts, t.reads = s.table.note(s, in)
	}
}

// follow notes that f is interpreted with the arguments of a caller.
func (in *interp) follow(f *Func) {
	if !in.callers[f] {
		in.callers[f] = true
		in.followed = append(in.followed, f)
	}
}
