package checks

import (
	"context"
	"fmt"
	"sync"

	"github.com/gatebot/gatebot/internal/pyast"
)

// treeCache keeps syntax trees up to a number of bytes, the least recently used ones go first, and behind them the
// short form of more trees, from which a tree is made again at a tenth of the cost of parsing. A small repository fits
// into the first, one of the size of vLLM into the second.
type treeCache struct {
	p       *project
	mu      sync.Mutex
	units   map[*module]*unit
	pending map[*module]chan struct{} // being parsed
	clock   int64
	bytes   int64
	limit   int64
	room    int64 // bytes left for packed trees, which the modules have
}

// packedTree is a tree in its short form, and what it was made from: a working tree can change under a scan.
type packedTree struct {
	data []byte
	sum  digest
}

const (
	treeBytes   = 16 << 20
	walkBytes   = 64 << 20 // in a walk over many trees, from one tree to the next
	packedBytes = 64 << 20
)

func newTreeCache(p *project) *treeCache {
	return &treeCache{p: p, units: map[*module]*unit{}, pending: map[*module]chan struct{}{}, limit: treeBytes,
		room: packedBytes}
}

// treesFor is the cache of a scan. In a walk it is that of the scan before: what changes in a repository is near what
// changed a day ago, and to make trees again would be half of all that is allocated.
func (m *Memory) treesFor(p *project) *treeCache {
	if m == nil || m.scans <= fewScans {
		return newTreeCache(p)
	}
	if m.trees == nil {
		m.trees = newTreeCache(p)
		m.trees.limit = walkBytes
	}
	m.trees.p, m.trees.room = p, packedBytes
	return m.trees
}

// fewScans are a push and what it is compared with.
const fewScans = 3

// keep takes the short form of a tree while there is room.
func (c *treeCache) keep(m *module, src, packed []byte) {
	p := packedTree{packed, digestOf(src)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := int64(len(packed)); packed != nil && n <= c.room {
		m.packed = p
		c.room -= n
	}
}

// begin keeps a tree that was indexed a moment ago, with its functions as they were read then: all of them will be asked for, and
// what is lowered from the short form is the same once more (TestUnitsOfALook).
func (c *treeCache) begin(m *module, src, packed []byte, defs map[*Func]*pyast.FuncDef) {
	if packed == nil {
		return
	}
	t, err := pyast.Open(m.path, src, packed, c.p.opts.limits())
	if err != nil {
		return // whoever asks for it is told
	}
	u, err := newUnit(m, src, t)
	if err != nil {
		return
	}
	u.funcs = defs
	u.cost += int64(len(src)) * astCost
	c.put(m, u)
}

// release drops the short form of a tree.
func (c *treeCache) release(m *module) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.room += int64(len(m.packed.data))
	m.packed = packedTree{}
}

// stored opens a tree that another process has parsed from the same bytes.
func (c *treeCache) stored(m *module, src []byte, sum digest, lim pyast.Limits) *pyast.Tree {
	if c.p.memory == nil || c.p.memory.stored == nil {
		return nil
	}
	packed := c.p.memory.stored.Tree(TreeKey(sum))
	if packed == nil {
		return nil
	}
	t, err := pyast.Open(m.path, src, packed, lim)
	if err != nil {
		return nil // it is parsed
	}
	return t
}

func (c *treeCache) put(m *module, u *unit) *unit {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock++
	u.used = c.clock
	c.units[m] = u
	c.bytes += u.cost
	c.shrink(u)
	return u
}

// grow says that a unit takes n bytes more.
func (c *treeCache) grow(u *unit, n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	u.cost += n
	if c.units[u.mod] == u { // it may have been dropped while a caller still works with it
		c.bytes += n
		c.shrink(u)
	}
}

// shrink drops the units that were not used for longest, but never keep.
func (c *treeCache) shrink(keep *unit) {
	for c.bytes > c.limit && len(c.units) > 1 {
		var oldest *unit
		for _, o := range c.units {
			if oldest == nil || o.used < oldest.used {
				oldest = o
			}
		}
		if oldest == keep {
			break
		}
		delete(c.units, oldest.mod)
		c.bytes -= oldest.cost
	}
}

// clear drops everything; a tree that is asked for later is parsed again.
func (c *treeCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m := c.p.memory; m != nil && m.trees == c {
		return
	}
	clear(c.units)
	c.bytes = 0
	if c.p.memory == nil {
		for _, m := range c.p.modules {
			m.packed = packedTree{}
		}
		c.room = packedBytes
	}
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
	u, err := c.open(ctx, m)
	if err != nil {
		return nil, fmt.Errorf("second reading: %w", err)
	}
	return c.put(m, u), nil
}

// open unpacks a tree. A file that has no packed tree, or has changed since, is parsed again.
func (c *treeCache) open(ctx context.Context, m *module) (*unit, error) {
	data, err := c.p.read(ctx, m.file)
	if err != nil {
		return nil, err
	}
	lim := c.p.opts.limits()
	c.mu.Lock()
	p := m.packed
	c.mu.Unlock()
	if sum := digestOf(data); p.data == nil || p.sum != sum {
		if t := c.stored(m, data, sum, lim); t != nil {
			return newUnit(m, data, t)
		}
		if p.data = c.p.opts.Shelf.Packed(data); p.data == nil {
			if _, p.data, err = pyast.ParsePacked(ctx, m.path, data, lim); err != nil {
				return nil, err
			}
		}
		c.keep(m, data, p.data) // a module that came from a file or was saved has none
	}
	t, err := pyast.Open(m.path, data, p.data, lim)
	if err != nil {
		return nil, err
	}
	return newUnit(m, data, t)
}
