package checks

import (
	"context"
	"fmt"
	"sync"

	"github.com/gatebot/gatebot/internal/pyast"
)

// treeCache keeps syntax trees up to a number of bytes, the least recently used ones go first. A small repository
// fits and is parsed once.
type treeCache struct {
	p       *project
	mu      sync.Mutex
	units   map[*module]*unit
	pending map[*module]chan struct{} // being parsed
	clock   int64
	bytes   int64
	limit   int64
}

const (
	treeBytes   = 40 << 20
	treePerByte = 8 // measured on vLLM: a tree takes 7 bytes per byte of source, and the source stays with it
)

func newTreeCache(p *project) *treeCache {
	return &treeCache{p: p, units: map[*module]*unit{}, pending: map[*module]chan struct{}{}, limit: treeBytes}
}

// keep takes a tree while there is room. The index runs through the files once and in the order in which they are
// interpreted later: what comes late must not push out what is needed first.
func (c *treeCache) keep(m *module, tree *pyast.Module) {
	c.mu.Lock()
	full := c.bytes+int64(len(tree.Source))*treePerByte > c.limit
	c.mu.Unlock()
	if !full {
		c.put(m, tree)
	}
}

func (c *treeCache) put(m *module, tree *pyast.Module) *unit {
	u := newUnit(m, tree)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock++
	u.used = c.clock
	c.units[m] = u
	c.bytes += u.cost
	for c.bytes > c.limit && len(c.units) > 1 {
		var oldest *unit
		for _, o := range c.units {
			if oldest == nil || o.used < oldest.used {
				oldest = o
			}
		}
		if oldest == u {
			break
		}
		delete(c.units, oldest.mod)
		c.bytes -= oldest.cost
	}
	return u
}

// get returns the tree of m, parsing it again when it has been dropped. It may be called from several goroutines.
func (c *treeCache) get(ctx context.Context, m *module) (*unit, error) {
	for {
		c.mu.Lock()
		if u := c.units[m]; u != nil {
			c.clock++
			u.used = c.clock
			c.mu.Unlock()
			return u, nil
		}
		wait, busy := c.pending[m]
		if !busy {
			wait = make(chan struct{})
			c.pending[m] = wait
		}
		c.mu.Unlock()
		if !busy {
			return c.parse(ctx, m, wait)
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (c *treeCache) parse(ctx context.Context, m *module, done chan struct{}) (*unit, error) {
	defer func() {
		c.mu.Lock()
		delete(c.pending, m)
		c.mu.Unlock()
		close(done)
	}()
	tree, err := c.p.parse(ctx, m.file)
	if err != nil {
		return nil, fmt.Errorf("second reading: %w", err)
	}
	return c.put(m, tree), nil
}

// ahead parses the files that are needed next while the interpreter is busy with the ones before. It stops when next
// is closed.
func (c *treeCache) ahead(ctx context.Context, next <-chan *module) {
	for m := range next {
		if _, err := c.get(ctx, m); err != nil {
			continue // the interpreter asks again and reports it
		}
	}
}
