package signin

import (
	"sync"
	"time"
)

// limiter lets no more than maxWrong wrong tokens through in a minute, from everybody together: there is one token, and
// nobody who has it needs more.
type limiter struct {
	mu   sync.Mutex
	last []time.Time
}

const maxWrong = 10

func (l *limiter) allow(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.last) > 0 && now.Sub(l.last[0]) > time.Minute {
		l.last = l.last[1:]
	}
	return len(l.last) < maxWrong
}

func (l *limiter) count(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = append(l.last, now)
}

// seen remembers sign-ins that were finished, for as long as their cookie would open. GitHub's codes are good once
// anyway; this holds on one server even where they were not. A flood that fills it makes it forget: nobody must be able to
// keep others from signing in.
type seen struct {
	mu  sync.Mutex
	all map[string]time.Time
}

// maxSeen bounds the memory; a state is 43 bytes.
const maxSeen = 10_000

// first reports whether nobody came with this state before.
func (s *seen) first(state string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[string]time.Time{}
	}
	if _, there := s.all[state]; there {
		return false
	}
	if len(s.all) >= maxSeen {
		for k, at := range s.all {
			if now.Sub(at) > loginFor {
				delete(s.all, k)
			}
		}
		if len(s.all) >= maxSeen {
			clear(s.all)
		}
	}
	s.all[state] = now
	return true
}
