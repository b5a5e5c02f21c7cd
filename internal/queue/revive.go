package queue

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// storeState says whether the embedded store takes writes. Requests end at once when it stops to.
type storeState struct {
	mu   sync.Mutex
	up   context.Context
	fail context.CancelFunc
}

func (s *storeState) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.up, s.fail = context.WithCancel(context.Background())
}

func (s *storeState) context() context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.up
}

func (s *storeState) failed() bool { return s.context().Err() != nil }

func (s *storeState) set() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail()
}

// bounded gives a request the connection's timeout, for the caller's context may have none, and ends it when the store
// fails.
func (c *Conn) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	stop := context.AfterFunc(c.store.context(), cancel)
	return ctx, func() { stop(); cancel() }
}

// reviveEvery is how often a store that failed is tried again. A variable for tests.
var reviveEvery = 5 * time.Second

// revive starts JetStream again after it failed to write (disk full, directory not writable). JetStream itself stays
// off until its process is restarted; but somebody makes room, and then the gate should work again by itself.
func (s *Server) revive(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.broken:
		}
		s.store.set()
		s.opts.Log.Error("queue: the store failed to write; everything is refused until it can")
		for s.again() != nil {
			select {
			case <-ctx.Done():
				return
			case <-time.After(reviveEvery):
			}
		}
		select { // complaints about the time before
		case <-s.broken:
		default:
		}
		s.store.reset()
		s.restartPulls()
		s.opts.Log.Warn("queue: the store is back")
	}
}

// again makes one attempt.
func (s *Server) again() error {
	err := writable(s.lock.Name())
	if err == nil {
		err = s.ns.ShutdownJetStream()
	}
	if err == nil {
		cfg := s.js
		err = s.ns.EnableJetStream(&cfg)
	}
	if err != nil {
		s.opts.Log.Error(fmt.Sprintf("queue: store is off: %v (trying again in %s)", err, reviveEvery))
	}
	return err
}
