package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progress says what is going on, on a terminal only and only when a phase takes longer than two seconds.
type progress struct {
	w     io.Writer
	mu    sync.Mutex
	timer *time.Timer
	shown bool
}

func newProgress(w io.Writer) *progress {
	if !color(w) {
		w = nil
	}
	return &progress{w: w}
}

func (p *progress) phase(name string) {
	p.done()
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = time.AfterFunc(2*time.Second, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.timer != nil {
			p.shown = true
			_, _ = fmt.Fprintf(p.w, "\rgatebot: %s …", name)
		}
	})
}

func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
	if p.shown {
		p.shown = false
		_, _ = fmt.Fprint(p.w, "\r\x1b[K")
	}
}
