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

// TestHaste: nothing is collected until the limit is reached, and then and afterwards at the usual pace.
func TestHaste(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	percent := func() int {
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return int(int32(uint32(sample[0].Value.Uint64())))
	}
	usual := percent()
	for ; usual == -1; usual = percent() { // a test before this one has not ended yet
		time.Sleep(time.Millisecond)
	}
	wait := func(what string, want int) {
		for end := time.Now().Add(5 * time.Minute); percent() != want; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: the collector is at %d, want %d", what, percent(), want)
			}
		}
	}
	end := frugal()
	again := haste.begin() // somebody else begins before the first has ended
	end()
	wait("at once", -1)
	again()
	wait("at the end", usual)
	end = frugal()
	runtime.GC() // stands for the one at the limit
	wait("after a collection", usual)
	end()
	wait("at the end", usual)
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
