package checks

import (
	"context"
	"runtime"
	"strings"
)

// indexed waits for a file that is being indexed.
type indexed func() (m *module, bad []unreadable, err error)

// begin parses the files that a memory lacks while that is being read, and before it is known which of the others are looked
// at. There are few of them in a push, and one of them takes longer than all that the memory holds.
func (p *project) begin(ctx context.Context) {
	if p.memory == nil || p.memory.reading == nil {
		return
	}
	var lacking []File
	for _, f := range p.listed {
		if strings.HasSuffix(f.Path, ".py") && p.memory.lacks(f) {
			lacking = append(lacking, f)
		}
	}
	p.ahead = map[string]indexed{}
	room := make(chan struct{}, p.opts.Workers)
	for _, f := range p.opts.look(lacking).hot {
		type result struct {
			m   *module
			bad []unreadable
			err error
		}
		done := make(chan result, 1)
		p.begun.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			var r result
			r.m, r.bad, r.err = p.indexOne(ctx, f)
			done <- r
		})
		p.ahead[f.Path] = func() (*module, []unreadable, error) { r := <-done; return r.m, r.bad, r.err }
	}
	runtime.Gosched() // they ask for their content while the others are looked at
}
