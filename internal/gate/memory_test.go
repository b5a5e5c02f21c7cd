package gate

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"testing"
	"time"
)

func TestFrugal(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	before := debug.SetMemoryLimit(-1)
	var ends []func()
	for range 3 {
		ends = append(ends, frugal())
	}
	if now := debug.SetMemoryLimit(-1); now < hasteLimit || now >= before {
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

// gcPercent is GOGC as it is now, -1 for a collector that is off.
func gcPercent() int {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	return int(int32(uint32(sample[0].Value.Uint64())))
}

// usualPercent waits for what a test before this one has not ended yet.
func usualPercent(t *testing.T) int {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); gcPercent() == -1; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the collector stays off")
		}
	}
	return gcPercent()
}

func waitPercent(t *testing.T, what string, want int) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); gcPercent() != want; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: the collector is at %d, want %d", what, gcPercent(), want)
		}
	}
}

// TestHaste: nothing is collected until the limit is reached, and then and afterwards at the usual pace.
func TestHaste(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	usual := usualPercent(t)
	end := frugal()
	again := haste.begin() // somebody else begins before the first has ended
	end()
	waitPercent(t, "at once", -1)
	again()
	waitPercent(t, "at the end", usual)
	end = frugal()
	runtime.GC() // stands for the one at the limit
	waitPercent(t, "after a collection", usual)
	end()
	waitPercent(t, "at the end", usual)
}

// TestWalkPace: while somebody walks the limit decides when to collect, and afterwards what decided before.
func TestWalkPace(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	usual := usualPercent(t)
	one, two := walk(), walk()
	one()
	one() // twice counts once
	waitPercent(t, "during a walk", walkPercent)
	end := haste.begin()
	waitPercent(t, "before a limit is reached", -1)
	end()
	waitPercent(t, "afterwards", walkPercent)
	two()
	waitPercent(t, "after the walk", usual)
	t.Setenv("GOGC", "200")
	end = walk()
	waitPercent(t, "although GOGC is set", usual)
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
