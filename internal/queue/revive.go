package queue

import (
	"context"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
)

// reviveEvery is how often a store that gave up is tried again. JetStream switches itself off when the disk is full;
// somebody makes room, and no human should have to restart the server then. A variable for tests.
var reviveEvery = 5 * time.Second

func (s *Server) revive(ctx context.Context) {
	tick := time.NewTicker(reviveEvery)
	defer tick.Stop()
	cfg := natsserver.JetStreamConfig{}
	if c := s.ns.JetStreamConfig(); c != nil {
		cfg = *c
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if s.ns.JetStreamEnabled() {
			continue
		}
		if !writable(s.lock.Name()) {
			s.opts.Log.Error("queue: store is off: disk full or not writable (make room: it comes back by itself)")
			continue
		}
		again := cfg
		if err := s.ns.EnableJetStream(&again); err != nil {
			s.opts.Log.Error("queue: store is off and does not come back", "error", err)
			continue
		}
		s.restartPulls()
		s.opts.Log.Warn("queue: store is back")
	}
}
