package git

import "sync"

// poolSize is how many idle children one repository keeps for each kind of question.
const poolSize = 4

// pool lends out long-lived children: one caller at a time each, as many as there are callers.
type pool struct {
	mu   sync.Mutex
	idle []*batch
}

func (p *pool) take(start func() (*batch, error)) (*batch, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		b := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return b, nil
	}
	p.mu.Unlock()
	return start()
}

func (p *pool) give(b *batch) {
	p.mu.Lock()
	if len(p.idle) < poolSize {
		p.idle = append(p.idle, b)
		p.mu.Unlock()
		return
	}
	p.mu.Unlock()
	b.stop()
}

func (p *pool) close() {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, b := range idle {
		b.stop()
	}
}
