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
	listed  []File    // every file of the source, in path order
	modules []*module // in path order
	byPath  map[string]*module
	byName  map[string][]*module
	trees   *treeCache
	notes   []string
	skipped int // files of tests and benchmarks that were not read
	unread  []unreadable
	setsDev bool // torch.set_default_device somewhere
	// entersDev is set when a device is used as a context somewhere: `with torch.device("cuda"):`.
	entersDev bool
	keeps     bool               // some input is declared to stay on the host
	fresh     int                // files that no memory knew
	memory    *Memory            // nil when nothing is remembered
	ahead     map[string]indexed // see begin
	begun     sync.WaitGroup
}

// unreadable is a file that the gate could not look into.
type unreadable struct {
	path, why string
	line      int
	transient bool // it may go well the next time
}

// load lists, reads, parses and indexes the files.
func load(ctx context.Context, src Source, opts *Options, memory *Memory) (*project, error) {
	files, err := src.Files(ctx)
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	p := &project{src: src, opts: opts, byPath: map[string]*module{}, memory: memory}
	p.trees = memory.treesFor(p)
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	p.listed = files
	p.begin(ctx)
	defer p.begun.Wait() // also when the scan has to stop
	look := opts.look(files)
	if look.notebooks > 0 {
		p.notes = append(p.notes, fmt.Sprintf("%d notebooks are not looked at: their code runs cell by cell, not in a step",
			look.notebooks))
	}
	if err := p.index(ctx, look.hot); err != nil {
		return nil, err
	}
	if err := p.indexCold(ctx, look.cold); err != nil {
		return nil, err
	}
	switch {
	case p.ahead != nil:
		go pyast.Release() // a push has better things to do than to wait for what frees memory
	case p.looks(): // the next one parses too
	default:
		pyast.Release()
	}
	p.nameModules()
	p.linkClasses()
	return p, nil
}

// indexCold handles tests and benchmarks. They are no part of a step, so they are read only when one of them has a step
// module (DESIGN 5.4), whose two names can be told without parsing.
func (p *project) indexCold(ctx context.Context, files []File) error {
	var todo []File
	for _, f := range files {
		if f.Size > p.opts.MaxFileSize || !stepFile(f.Path) {
			continue
		}
		todo = append(todo, f)
	}
	if n := len(files) - len(todo); n > 0 {
		p.notes = append(p.notes, fmt.Sprintf("%d files of tests and benchmarks are not part of a step and not looked at "+
			"(name them in hot_path.include to have them checked)", n))
		p.skipped = n
	}
	return p.index(ctx, todo)
}

// stepFile reports whether a test file may be a step module, by its name.
func stepFile(path string) bool {
	base := path[strings.LastIndexByte(path, '/')+1:]
	return strings.Contains(base, "step") || strings.Contains(base, "gate")
}

// skipsCold reports whether tests and benchmarks are left out: unless somebody has said what to look at.
func (o *Options) skipsCold() bool {
	return !o.AllFunctions && len(o.Include) == 0 && len(o.Roots) == 0
}

// index reads and parses with a few workers; results keep the order of the files whatever order they finish in.
func (p *project) index(ctx context.Context, files []File) error {
	mods := make([]*module, len(files))
	bad := make([][]unreadable, len(files))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(p.opts.Workers)
	p.memory.filesReady()
	for i, f := range files {
		if ctx.Err() != nil {
			break
		}
		if mods[i], bad[i] = p.memory.module(f); mods[i] != nil {
			mods[i].again(f, p.trees)
			continue
		}
		p.fresh++
		if begun := p.ahead[f.Path]; begun != nil {
			g.Go(func() (err error) { mods[i], bad[i], err = begun(); return err })
			continue
		}
		g.Go(func() (err error) { mods[i], bad[i], err = p.indexOne(ctx, f); return err })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i := range files {
		p.unread = append(p.unread, bad[i]...)
		if mods[i] != nil {
			p.memory.keepModule(mods[i], bad[i])
			p.modules = append(p.modules, mods[i])
			p.byPath[mods[i].path] = mods[i]
			p.setsDev = p.setsDev || mods[i].setsDev
			p.entersDev = p.entersDev || mods[i].entersDev
			p.keeps = p.keeps || len(mods[i].kept) > 0
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
	data, err := p.read(ctx, f)
	var tree *pyast.Module
	var packed []byte
	if err == nil {
		tree, packed, err = p.opts.Shelf.Parse(ctx, f.Path, data, p.opts.limits())
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		lasting := errors.Is(err, errTooLarge) || errors.Is(err, pyast.ErrTooLarge)
		return nil, []unreadable{{path: f.Path, why: err.Error(), transient: !lasting}}, nil
	}
	for i, e := range tree.Errors {
		if i == 0 {
			bad = append(bad, unreadable{path: f.Path, line: int(e.Start.Line), why: fmt.Sprintf(
				"%d places are not Python as the grammar knows it, the first in line %d: %s", len(tree.Errors), e.Start.Line, e.Message)})
		}
	}
	var defs map[*Func]*pyast.FuncDef
	if p.looks() {
		defs = map[*Func]*pyast.FuncDef{}
	}
	m = indexFile(f, tree, defs)
	m.trees = p.trees
	p.trees.keep(m, data, packed)
	if defs != nil {
		p.trees.begin(m, data, packed, defs)
	}
	return m, bad, nil
}

// looks reports whether this is one of many looks at the few files of a commit, each function of which is interpreted.
func (p *project) looks() bool { return p.memory == nil && p.opts.Shelf != nil && p.opts.AllFunctions }

var errTooLarge = errors.New("larger than the limit")

// read gives the content of a file that is not too large.
func (p *project) read(ctx context.Context, f File) ([]byte, error) {
	if f.Size > p.opts.MaxFileSize {
		return nil, fmt.Errorf("%w: %d bytes, limit %d (exclude it if it is generated)", errTooLarge, f.Size, p.opts.MaxFileSize)
	}
	data, err := p.src.Read(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	return data, nil
}

func (o *Options) limits() pyast.Limits {
	lim := pyast.DefaultLimits
	lim.MaxBytes = int(o.MaxFileSize)
	lim.Timeout = o.ParseLimit
	return lim
}
