package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// progress says what is going on, on a terminal only and only when a phase takes longer than two seconds.
type progress struct {
	w     io.Writer
	mu    sync.Mutex
	timer *time.Timer
	shown bool
	file  string // that a runner reads, empty: none
	plain io.Writer
	last  string // phase that was printed
}

func newProgress(w io.Writer) *progress {
	p := &progress{w: w, plain: w}
	if !color(w) {
		p.w = nil
	}
	return p
}

// to makes it write each word into a file as well, and print each phase as a line: the log of a job is read while it grows.
func (p *progress) to(file string) { p.file = file }

// step is one word of the progress file.
type step struct {
	Phase string `json:"phase"`
	Unit  string `json:"unit,omitempty"`
	Done  int    `json:"done,omitempty"`
	Total int    `json:"total,omitempty"`
}

// count says how far a phase is; it may come from another goroutine.
func (p *progress) count(phase, unit string, done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == "" {
		return
	}
	if phase != p.last {
		p.last = phase
		_, _ = fmt.Fprintf(p.plain, "gatebot: phase %s\n", phase) // nobody's verdict hangs on it
	}
	data, err := json.Marshal(step{phase, unit, done, total})
	if err != nil {
		return
	}
	// In one piece, or the runner would read half of it. One that cannot be written is missed by nobody.
	if next := p.file + ".new"; os.WriteFile(next, data, 0o600) == nil {
		_ = os.Rename(next, p.file)
	}
}

func (p *progress) phase(name string) {
	p.done()
	p.count(name, "", 0, 0)
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
