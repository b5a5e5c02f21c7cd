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
	hasteLimit  = 205 << 20
	hasteAfter  = 200 * time.Millisecond // the end of the scan is mostly the end of the process
	frugalLimit = 220 << 20              // bytes of memory of the Go runtime; the program and its C memory take 50 MB more
	frugalFloor = 16 << 20
	walkLimit   = 640 << 20 // of a walk over a history, with which a process stays below 700 MB
	walkPercent = 300       // GOGC in a walk: the limit decides
	frugalTick  = 25 * time.Millisecond
)

var frugality struct {
	sync.Mutex
	users int
	end   func()
	walks atomic.Int32
}

// pacedByUser reports whether somebody has said how often the collector runs.
func pacedByUser() bool { return os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" }

// frugal holds memory down until the function that it returns is called. Scans side by side share it. Whoever sets
// GOGC or GOMEMLIMIT knows better.
func frugal() (end func()) {
	if pacedByUser() {
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
	before := collections() - arranged.Load()
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
				if collections() <= before+arranged.Load() {
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

// haste is how often the collector runs: never before a limit is reached, as in a walk, or as somebody has said.
var haste pace

type pace struct {
	sync.Mutex
	turn    int // of whoever began last to collect nothing, 0 when that is over
	turns   int
	walks   int
	held    bool
	percent int // of the collector, otherwise
}

// begin gives the function that ends it, unless another one has begun meanwhile.
func (p *pace) begin() (end func()) {
	p.Lock()
	defer p.Unlock()
	p.turns++
	p.turn = p.turns
	p.set()
	mine := p.turn
	return func() {
		p.Lock()
		defer p.Unlock()
		if p.turn == mine {
			p.turn = 0
			p.set()
		}
	}
}

// walk counts those who walk.
func (p *pace) walk(n int) {
	p.Lock()
	defer p.Unlock()
	p.walks += n
	p.set()
}

// set is called with the lock.
func (p *pace) set() {
	want := -1
	switch {
	case p.turn > 0:
	case p.walks > 0:
		want = walkPercent
	case p.held:
		p.held = false
		debug.SetGCPercent(p.percent)
		return
	default:
		return
	}
	if old := debug.SetGCPercent(want); !p.held {
		p.held, p.percent = true, old
	}
}

// arranged is how often the collector has run because somebody asked for it, and not because memory was short.
var arranged atomic.Uint64

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
	if pacedByUser() {
		return func() {}
	}
	frugality.walks.Add(1)
	haste.walk(1)
	return sync.OnceFunc(func() {
		frugality.walks.Add(-1)
		haste.walk(-1)
	})
}

// limitFor leaves room of a quarter of what is alive, and in a walk of a half, but at least up to walkLimit.
func limitFor(live int64, walk bool) int64 {
	if walk {
		return max(walkLimit, live+live/2+frugalFloor)
	}
	return max(frugalLimit, live+live/4+frugalFloor)
}
