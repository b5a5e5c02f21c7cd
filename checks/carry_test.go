package checks

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestFactsCarried: what is taken over from the scan before is what would be found out anew.
func TestFactsCarried(t *testing.T) {
	const trees = 60
	starts := []func() memory{linkedFiles, func() memory {
		both := linkedFiles()
		maps.Copy(both, circle)
		return both
	}}
	for seed := range uint64(6) {
		h := &history{rnd: rand.New(rand.NewPCG(seed, 13)), tree: starts[seed%2]()}
		o := Options{Rules: []*Rule{everything}, Now: time.Unix(0, 0), AllFunctions: seed == 5}
		m := NewMemory()
		carried, after := 0, 0 // after: in the first scan of another process
		loaded := false
		for n := range trees {
			m.scans++
			s, err := newScan(context.Background(), blobs{h.tree}, o, m)
			if err != nil {
				t.Fatal(err)
			}
			for id := range s.table.told {
				x := &s.table.slots[id]
				if x.fact.kind == factState || !s.table.valid(uint32(id)) {
					continue
				}
				carried++
				if loaded {
					after++
				}
				if is, now := slices.Index(x.states, s.stateOf(x.fact)), int(s.table.told[id].now); is != now {
					t.Fatalf("seed %d, tree %d: %+v is %d and was taken over as %d of %+v", seed, n, x.fact, is, now, x.states)
				}
			}
			if err := s.interpret(context.Background()); err != nil {
				t.Fatal(err)
			}
			h.next()
			if loaded = n%3 == int(seed)%3; loaded {
				m = throughFile(t, m, o.Rules...)
			}
		}
		if carried == 0 || after == 0 {
			t.Errorf("seed %d: %d facts were taken over, %d of them from another process", seed, carried, after)
		}
	}
}
