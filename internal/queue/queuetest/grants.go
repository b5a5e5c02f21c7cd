package queuetest

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/gatebot/gatebot/internal/queue"
)

func granter(t *testing.T, q queue.Queue) queue.Grants {
	t.Helper()
	g, ok := q.(queue.Grants)
	if !ok {
		t.Fatalf("%T is no Grants", q)
	}
	return g
}

// grants: numbers rise for each job by itself, an older one settles nothing, and a settled job has no further one.
func grants(t *testing.T, q queue.Queue) {
	g, ctx := granter(t, q), ctxFor(t)
	if _, err := g.Granted(ctx, "p", "", "j"); !errors.Is(err, queue.ErrNotFound) {
		t.Errorf("before the first: %v, want ErrNotFound", err)
	}
	claim := func(pool, client, id, runner string, want int) queue.Grant {
		t.Helper()
		got, err := g.Claim(ctx, pool, client, id, runner)
		if err != nil || got.Epoch != want || got.Runner != runner {
			t.Errorf("claim of %s/%s/%s: %+v, %v, want epoch %d", pool, client, id, got, err, want)
		}
		return got
	}
	first := claim("p", "", "j", "r1", 1)
	second := claim("p", "", "j", "r2", 2)
	claim("p", "", "k.a1", "r1", 1)
	claim("other", "", "j", "r1", 1)
	claim("p", "alice", "j", "r1", 1)
	if now, err := g.Granted(ctx, "p", "", "j"); err != nil || now.Epoch != 2 || now.Runner != "r2" || now.Settled {
		t.Errorf("newest: %+v, %v", now, err)
	}
	if err := g.Settle(ctx, first); !errors.Is(err, queue.ErrLeaseLost) {
		t.Errorf("settled by an older grant: %v, want ErrLeaseLost", err)
	}
	for range 2 {
		if err := g.Settle(ctx, second); err != nil {
			t.Errorf("settle: %v", err)
		}
	}
	if now, err := g.Claim(ctx, "p", "", "j", "r1"); !errors.Is(err, queue.ErrSettled) || now.Epoch != 2 {
		t.Errorf("claim of a settled job: %+v, %v, want ErrSettled", now, err)
	}
	if err := g.Settle(ctx, first); !errors.Is(err, queue.ErrLeaseLost) {
		t.Errorf("an older grant after the end: %v, want ErrLeaseLost", err)
	}
	if _, err := g.Claim(ctx, "p", "", "", "r1"); err == nil {
		t.Error("a job without a name was taken")
	}
}

// manyGrants: whoever claims at once, no number is given twice and none is left out.
func manyGrants(t *testing.T, q queue.Queue) {
	g, ctx := granter(t, q), ctxFor(t)
	const runners, each = 4, 5
	var mu sync.Mutex
	var all []int
	var wg sync.WaitGroup
	for range runners {
		wg.Go(func() {
			for range each {
				got, err := g.Claim(ctx, "p", "", "j", "r")
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				all = append(all, got.Epoch)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	slices.Sort(all)
	for i, n := range all {
		if n != i+1 {
			t.Fatalf("numbers %v", all)
		}
	}
}
