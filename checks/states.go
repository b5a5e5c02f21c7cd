package checks

import (
	"context"
	"sync"
)

// What a method leaves in the attributes of the objects of a class is asked for by hundreds of tasks. It is found out
// once, by an interpreter of its own that starts from nothing, and tasks take copies: what one gets depends neither on
// which task came first nor on where in its work it asked.

// stateLevels is how deep a state may rest on the states of other classes. Classes can rest on each other in a circle: a
// state of one level is made of states of the level below, and at the bottom nothing is known but what a class declares.
// So each level is well defined, and a state that nowhere came upon the bottom is the same at every level above.
const stateLevels = 4

const (
	stateDepth   = 3        // calls around a method that is run for its stores, as if a function of a step had asked
	maxStateWork = 60_000   // expressions for one of them
	stateBytes   = 16 << 20 // that are kept; on vLLM all of them take three times as much
)

// stateKey names a method that is run for what it stores on self.
type stateKey struct {
	cls *Class
	fn  *Func
}

// stateRun is what it stored. It is not changed any more once done is closed.
type stateRun struct {
	done   chan struct{}
	obj    *Object
	basis  *stateBasis
	broken any  // it ended in a panic
	whole  bool // it did not come upon the bottom
	height int  // levels below it, when it is whole
	size   int  // bytes, about
	cost   int  // the same once it is there, else 0
	used   int64
	data   []byte // its short form, until that is kept
}

// stateBasis is what a state rests on, and a digest of it. It outlives the state.
type stateBasis struct {
	fact   fact   // that stands for it, when it is remembered
	sum    digest // likewise
	cls    *Class // the class of the objects
	deps   []*stateBasis
	failed map[string]error
}

// states are those of one scan. They may be used from several goroutines.
type states struct {
	s     *scan
	mu    sync.Mutex
	known map[stateKey]*stateEntry
	cost  int
	limit int // of cost
	clock int64
}

type stateEntry struct {
	whole *stateRun
	level [stateLevels]*stateRun
	basis [stateLevels]*stateBasis
}

func newStates(s *scan) *states {
	return &states{s: s, known: map[stateKey]*stateEntry{}, limit: stateBytes}
}

// get gives what key stores at a level, waiting for whoever is at it: that one waits for lower levels only, and for the
// constructor of the same class. It is nil when ctx ends.
func (st *states) get(ctx context.Context, in *interp, key stateKey, level int) *stateRun {
	st.mu.Lock()
	e := st.known[key]
	if e == nil {
		e = &stateEntry{}
		st.known[key] = e
	}
	st.clock++
	if w := e.whole; w != nil && w.height <= level {
		w.used = st.clock
		st.mu.Unlock()
		return w
	}
	r := e.level[level]
	if r != nil {
		r.used = st.clock
		st.mu.Unlock()
		select {
		case <-r.done:
			return r
		case <-ctx.Done():
			return nil
		}
	}
	r = &stateRun{done: make(chan struct{}), used: st.clock}
	e.level[level] = r
	st.mu.Unlock()
	if !st.s.table.again(st.s, r, key, level) {
		in.runState(r, key, level)
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if b := e.basis[level]; b != nil {
		r.basis = b // it was known before, and is what it was
	}
	e.basis[level] = r.basis
	if r.whole {
		e.whole = r // the same as any other that is whole
	}
	close(r.done)
	r.cost = r.size + stateCost
	st.s.table.keepState(r)
	if st.cost += r.cost; st.cost > st.limit {
		st.shrink()
	}
	return r
}
