package gate

import (
	"runtime/debug"
	"sync"
	"testing"
)

func TestFrugal(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	before := debug.SetMemoryLimit(-1)
	var ends []func()
	for range 3 {
		ends = append(ends, frugal())
	}
	if now := debug.SetMemoryLimit(-1); now < frugalLimit || now >= before {
		t.Errorf("limit %d during scans, %d before", now, before)
	}
	var g sync.WaitGroup
	for _, end := range ends {
		g.Go(end)
		g.Go(end) // twice counts once
	}
	g.Wait()
	if now := debug.SetMemoryLimit(-1); now != before {
		t.Errorf("limit %d after, %d before", now, before)
	}
	t.Setenv("GOGC", "200")
	end := frugal()
	if now := debug.SetMemoryLimit(-1); now != before {
		t.Errorf("limit %d although GOGC is set", now)
	}
	end()
}

// TestLimitFollows: there is always room, or the collector would run without end.
func TestLimitFollows(t *testing.T) {
	for _, live := range []int64{0, 1 << 20, 150 << 20, 1 << 30, 40 << 30} {
		for _, walk := range []bool{false, true} {
			if l := limitFor(live, walk); l < frugalLimit || l < live*5/4 || walk && l < live*3/2 {
				t.Errorf("%d alive, in a walk %t: limit %d", live, walk, l)
			}
		}
	}
}
