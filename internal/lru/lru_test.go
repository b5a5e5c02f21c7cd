package lru

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCache(t *testing.T) {
	var gone []string
	c := New[int](10, func(s string) { gone = append(gone, s) })
	c.Put(1, "a", 4)
	c.Put(2, "b", 4)
	if v, ok := c.Get(1); !ok || v != "a" {
		t.Errorf("1 is %q, %t", v, ok)
	}
	c.Put(3, "c", 4)     // 2 was not used for longest
	c.Put(1, "again", 1) // it has one
	c.Put(4, "large", 11)
	if v, ok := c.Get(2); ok {
		t.Errorf("2 is still %q", v)
	}
	if v, ok := c.Take(3); !ok || v != "c" {
		t.Errorf("3 is %q, %t", v, ok)
	}
	if _, ok := c.Take(3); ok {
		t.Error("3 was taken and is there")
	}
	c.Put(5, "e", 6)
	c.Resize(6)
	c.Put(6, "f", 0)
	c.Close()
	c.Put(7, "late", 1)
	want := []string{"b", "again", "large", "a", "e", "f", "late"}
	if d := cmp.Diff(want, gone); d != "" {
		t.Errorf("dropped:\n%s", d)
	}
	if n, cost := c.Held(); n != 0 || cost != 0 || len(c.byKey) != 0 {
		t.Errorf("a closed cache holds %d of cost %d", n, cost)
	}
}

// TestEachGoesOnce: whatever is put comes back from Take or goes to drop, once, also with many goroutines.
func TestEachGoesOnce(t *testing.T) {
	var mu sync.Mutex
	var ended []string
	end := func(s string) {
		mu.Lock()
		defer mu.Unlock()
		ended = append(ended, s)
	}
	c := New[int](50, end)
	var g sync.WaitGroup
	for worker := range 4 {
		rnd := rand.New(rand.NewPCG(uint64(worker), 1)) //nolint:gosec // nothing is secret here
		g.Go(func() {
			for i := range 500 {
				c.Put(rnd.IntN(20), fmt.Sprint(worker, " ", i), rnd.IntN(12))
				if v, ok := c.Take(rnd.IntN(20)); ok {
					end(v)
				}
				c.Get(rnd.IntN(20))
			}
		})
	}
	g.Wait()
	c.Close()
	slices.Sort(ended)
	if n := len(slices.Compact(slices.Clone(ended))); len(ended) != 2000 || n != 2000 {
		t.Errorf("%d of 2000 have ended, %d different ones", len(ended), n)
	}
}
