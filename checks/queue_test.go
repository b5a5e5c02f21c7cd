package checks

import (
	"context"
	"slices"
	"testing"
)

// TestQueue: tasks are asked about in their order, those that are due come longest first, and nobody is told that there are
// no more while an answer is missing.
func TestQueue(t *testing.T) {
	q := newQueue()
	of := func(facts int) *foreseen {
		if facts < 0 {
			return &foreseen{}
		}
		return &foreseen{memos: []*memo{{facts: make([]factWas, facts)}}}
	}
	all := []*foreseen{of(1), of(7), of(3), of(-1), of(5)}
	for _, f := range all {
		q.put(f)
	}
	for i, f := range all {
		if got := q.next(); got != f {
			t.Fatalf("%d: not in order", i)
		}
	}
	q.end()
	none := make(chan *foreseen)
	go func() { none <- q.next() }() // waits: five answers are missing
	for _, f := range all[:2] {
		q.told(f, f == all[1])
	}
	if got := <-none; got != all[1] || !got.due {
		t.Errorf("what is due is not handed out to who waits for it")
	}
	for _, f := range all[2:] {
		q.told(f, f != all[2])
	}
	var order []int
	for f := q.next(); f != nil; f = q.next() {
		order = append(order, slices.Index(all, f))
	}
	if !slices.Equal(order, []int{3, 4}) {
		t.Errorf("%v, want what is not known and then the longest", order)
	}
}

// TestPace: who waits goes on when no scan wants all cores any more, or when its own time is over.
func TestPace(t *testing.T) {
	var none *Pace
	none.enter()()
	none.Wait(t.Context())
	p := &Pace{}
	p.Wait(t.Context())
	first, second := p.enter(), p.enter()
	first()
	first() // once counts
	over, cancel := context.WithCancel(t.Context())
	cancel()
	p.Wait(over)
	done := make(chan bool)
	go func() {
		p.Wait(t.Context())
		p.mu.Lock()
		defer p.mu.Unlock()
		done <- p.scans == 0
	}()
	second()
	if !<-done {
		t.Error("went on beside a scan that wants all cores")
	}
	third := p.enter()
	third()
	p.Wait(t.Context())
}
