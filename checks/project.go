package checks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/gatebot/gatebot/internal/pyast"
)

// project is everything that is known about the files of a scan before any function is interpreted.
type project struct {
	src     Source
	opts    *Options
	modules []*module // in path order
	byPath  map[string]*module
	byName  map[string][]*module
	trees   *treeCache
	notes   []string
	unread  []unreadable
	setsDev bool // torch.set_default_device somewhere
	// entersDev is set when a device is used as a context somewhere: `with torch.device("cuda"):`.
	entersDev bool
}

// unreadable is a file that the gate could not look into.
type unreadable struct {
	path, why string
	line      int
}

// load lists, reads, parses and indexes the files.
func load(ctx context.Context, src Source, opts *Options) (*project, error) {
	files, err := src.Files(ctx)
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	p := &project{src: src, opts: opts, byPath: map[string]*module{}}
	p.trees = newTreeCache(p)
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	var todo []File
	notebooks := 0
	for _, f := range files {
		switch {
		case strings.HasSuffix(f.Path, ".ipynb"):
			notebooks++
			continue
		case !strings.HasSuffix(f.Path, ".py"):
			continue
		case len(opts.Include) > 0 && !matchAnyPath(opts.Include, f.Path), matchAnyPath(opts.Exclude, f.Path):
			continue
		}
		todo = append(todo, f)
	}
	if notebooks > 0 {
		p.notes = append(p.notes, fmt.Sprintf("%d notebooks are not looked at: their code runs cell by cell, not in a step",
			notebooks))
	}
	if err := p.index(ctx, todo); err != nil {
		return nil, err
	}
	p.nameModules()
	p.linkClasses()
	return p, nil
}

// index reads and parses with a few workers; results keep the order of the files whatever order they finish in.
func (p *project) index(ctx context.Context, files []File) error {
	mods := make([]*module, len(files))
	bad := make([][]unreadable, len(files))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(p.opts.Workers)
	for i, f := range files {
		if ctx.Err() != nil {
			break
		}
		g.Go(func() error {
			var err error
			mods[i], bad[i], err = p.indexOne(ctx, f)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i := range files {
		p.unread = append(p.unread, bad[i]...)
		if mods[i] != nil {
			p.modules = append(p.modules, mods[i])
			p.byPath[mods[i].path] = mods[i]
			p.setsDev = p.setsDev || mods[i].setsDev
			p.entersDev = p.entersDev || mods[i].entersDev
		}
	}
	return nil
}

// indexOne returns an error only when the scan has to stop.
func (p *project) indexOne(ctx context.Context, f File) (m *module, bad []unreadable, err error) {
	defer func() {
		if r := recover(); r != nil {
			m, bad, err = nil, append(bad, unreadable{path: f.Path, why: fmt.Sprintf("internal error while indexing: %v", r)}), nil
		}
	}()
	tree, err := p.parse(ctx, f)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		return nil, []unreadable{{path: f.Path, why: err.Error()}}, nil
	}
	for i, e := range tree.Errors {
		if i == 0 {
			bad = append(bad, unreadable{path: f.Path, line: int(e.Start.Line), why: fmt.Sprintf(
				"%d places are not Python as the grammar knows it, the first in line %d: %s", len(tree.Errors), e.Start.Line, e.Message)})
		}
	}
	m = indexFile(f, tree)
	p.trees.put(m, tree)
	return m, bad, nil
}

var errTooLarge = errors.New("larger than the limit")

// parse reads and parses one file.
func (p *project) parse(ctx context.Context, f File) (*pyast.Module, error) {
	if f.Size > p.opts.MaxFileSize {
		return nil, fmt.Errorf("%w: %d bytes, limit %d (exclude it if it is generated)", errTooLarge, f.Size, p.opts.MaxFileSize)
	}
	data, err := p.src.Read(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	lim := pyast.DefaultLimits
	lim.MaxBytes = int(p.opts.MaxFileSize)
	lim.Timeout = p.opts.ParseLimit
	return pyast.Parse(ctx, f.Path, data, lim)
}

// treeCache keeps syntax trees up to a number of bytes, the least recently used ones go first. A small repository
// fits and is parsed once.
type treeCache struct {
	p     *project
	mu    sync.Mutex
	units map[*module]*unit
	clock int64
	bytes int64
}

// unit is a module with its tree. funcs and classes are indexed by ordinal.
type unit struct {
	mod     *module
	tree    *pyast.Module
	funcs   []*pyast.FuncDef
	classes []*pyast.ClassDef
	used    int64
	cost    int64
}

const (
	treeBytes   = 80 << 20
	treePerByte = 24 // measured: a tree takes about this many bytes per byte of source
)

func newTreeCache(p *project) *treeCache { return &treeCache{p: p, units: map[*module]*unit{}} }

func (c *treeCache) put(m *module, tree *pyast.Module) *unit {
	u := newUnit(m, tree)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock++
	u.used = c.clock
	c.units[m] = u
	c.bytes += u.cost
	for c.bytes > treeBytes && len(c.units) > 1 {
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

// get returns the tree of m, parsing it again when it has been dropped.
func (c *treeCache) get(ctx context.Context, m *module) (*unit, error) {
	c.mu.Lock()
	if u := c.units[m]; u != nil {
		c.clock++
		u.used = c.clock
		c.mu.Unlock()
		return u, nil
	}
	c.mu.Unlock()
	tree, err := c.p.parse(ctx, m.file)
	if err != nil {
		return nil, fmt.Errorf("%s: second reading: %w", m.path, err)
	}
	return c.put(m, tree), nil
}

// newUnit collects functions and classes in the order in which the index numbered them.
func newUnit(m *module, tree *pyast.Module) *unit {
	u := &unit{mod: m, tree: tree, cost: int64(len(tree.Source)) * (treePerByte + 1)}
	walkStmts(tree.Body, func(n pyast.Node) bool {
		switch n := n.(type) {
		case *pyast.FuncDef:
			u.funcs = append(u.funcs, n)
		case *pyast.ClassDef:
			u.classes = append(u.classes, n)
		case pyast.Expr:
			return false
		}
		return true
	})
	return u
}
