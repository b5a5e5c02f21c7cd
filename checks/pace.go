package checks

import (
	"context"
	"sync"
)

// Pace tells those who do work beside scans that is not urgent when a scan has tasks for all cores: what they do then only
// makes it slower, and when it has them no more there is nothing left to do beside it. Nil, and the zero value, are ready
// for use.
type Pace struct {
	mu    sync.Mutex
	scans int
	calm  chan struct{} // closed when no scan wants all cores any more
}

// enter says that a scan wants all cores, until the function that it returns is called.
func (p *Pace) enter() (leave func()) {
	if p == nil {
		return func() {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.scans++; p.scans == 1 {
		p.calm = make(chan struct{})
	}
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.scans--; p.scans == 0 {
			close(p.calm)
		}
	})
}

// Wait waits until no scan wants all cores, or ctx ends.
func (p *Pace) Wait(ctx context.Context) {
	for p != nil {
		p.mu.Lock()
		busy, calm := p.scans > 0, p.calm
		p.mu.Unlock()
		if !busy {
			return
		}
		select {
		case <-calm:
		case <-ctx.Done():
			return
		}
	}
}
