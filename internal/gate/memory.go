package gate

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

// A scan of a repository like vLLM keeps up to 180 MB alive. Go lets the heap grow to twice of what is alive, which on
// a developer's laptop and in a hook is memory taken from others for nothing: below frugalLimit the usual pace holds,
// then the collector runs more often. The limit follows what is alive, so that no repository is so large that nothing
// but collecting would be done.
//
// Up to hasteLimit nothing is collected at all: what a push reads of the scans before it stays, and looking at all of it
// again and again finds nothing. The first collection ends that.
const (
	hasteLimit  = 215 << 20
	hasteAfter  = 200 * time.Millisecond // the end of the scan is mostly the end of the process
	frugalLimit = 230 << 20              // bytes of memory of the Go runtime; the program and its C memory take 50 MB more
	frugalFloor = 16 << 20
	frugalTick  = 25 * time.Millisecond
)

var frugality struct {
	sync.Mutex
	users int
	end   func()
	walks atomic.Int32
}

// frugal holds memory down until the function that it returns is called. Scans side by side share it. Whoever sets
// GOGC or GOMEMLIMIT knows better.
func frugal() (end func()) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	f := &frugality
	f.Lock()
	defer f.Unlock()
	if f.users++; f.users == 1 {
		f.end = hold()
	}
	return sync.OnceFunc(func() {
		f.Lock()
		defer f.Unlock()
		if f.users--; f.users == 0 {
			f.end()
		}
	})
}

// hold sets the limit and moves it with what is alive.
func hold() (end func()) {
	old := debug.SetMemoryLimit(hasteLimit)
	slow := haste.begin()
	before := collections()
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(frugalTick)
		defer tick.Stop()
		for limit := int64(hasteLimit); ; {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			if limit == hasteLimit {
				if collections() == before {
					continue
				}
				limit = frugalLimit
				debug.SetMemoryLimit(limit)
				slow()
			}
			if want := limitFor(heapAlive(), frugality.walks.Load() > 0); want > limit {
				limit = want
				debug.SetMemoryLimit(limit)
			}
		}
	}()
	return func() {
		close(stop)
		<-done
		// Without the limit the next collection is due at twice of what the scan had, and all of that is garbage now.
		if heapAlive() > frugalLimit/4 {
			go runtime.GC() // beside what comes next, which in a hook is the end
		}
		debug.SetMemoryLimit(old)
		time.AfterFunc(hasteAfter, slow)
	}
}

// haste is the time in which nothing is collected before the limit is reached.
var haste pace

type pace struct {
	sync.Mutex
	turn    int // of whoever began last, 0 when it is over
	turns   int
	percent int // of the collector, otherwise
}

// begin gives the function that ends it, unless another one has begun meanwhile.
func (p *pace) begin() (end func()) {
	p.Lock()
	defer p.Unlock()
	if p.turn == 0 {
		p.percent = debug.SetGCPercent(-1)
	}
	p.turns++
	p.turn = p.turns
	mine := p.turn
	return func() {
		p.Lock()
		defer p.Unlock()
		if p.turn == mine {
			p.turn = 0
			debug.SetGCPercent(p.percent)
		}
	}
}

// collections is how often the collector has run.
func collections() uint64 {
	sample := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// heapAlive is what the last collection has left, in bytes.
func heapAlive() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// walk gives scans more room until the function that it returns is called: a walk over a history makes garbage with each
// commit, and most of its time would go into collecting it.
func walk() (end func()) {
	frugality.walks.Add(1)
	return sync.OnceFunc(func() { frugality.walks.Add(-1) })
}

// limitFor leaves room of a quarter of what is alive, and in a walk of a half.
func limitFor(live int64, walk bool) int64 {
	room := live / 4
	if walk {
		room = live / 2
	}
	return max(frugalLimit, live+room+frugalFloor)
}
