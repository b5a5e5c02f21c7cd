package gate

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/registry"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/pyast"
	"github.com/gatebot/gatebot/internal/scancache"
	"github.com/gatebot/gatebot/internal/tree"
)

// Trees scans many commits of one repository: what two of them share is read and interpreted once, also when another
// process did it. It may be used by one goroutine at a time.
type Trees struct {
	repo   git.Repository
	cache  *scancache.Store
	memory *checks.Memory // made or loaded for the first scan
	end    func()         // of holding memory down, nil before the first scan
	walk   func()         // ends that this is taken for a walk, nil while there were few scans
	scans  int
	last   []treeFindings // of the newest trees, the last one first
	// TipFirst is set when the tree that is scanned first is the one that the next process will be near: a push looks at its
	// tip before it looks at what the remote has.
	TipFirst bool
	// Many is set when it is known beforehand that many trees will be scanned.
	Many bool
	// Shelf is shared by these scans and others of the same walk.
	Shelf *pyast.Shelf
	// Pace is told when a scan has work for all cores; it may be nil.
	Pace *checks.Pace
	soon soon
	tip  func() // scans that tree again, once others were scanned
}

// treeFindings are those of trees in which all that a scan looks at is the same: more than half of the commits of a large
// repository change its tests, its documentation or its CI.
type treeFindings struct {
	key      func() string // it takes longer than some scans, and one scan alone needs none
	findings []finding.Finding
}

const (
	lastTrees = 4
	fewScans  = 3 // a push and what it is compared with
)

// NewTrees has seen no commit yet.
func NewTrees(repo git.Repository) *Trees {
	return &Trees{repo: repo, cache: openCache(Request{}, repo)}
}

// Scan scans the whole tree of a commit with cfg: the form that the hook and the fix log use.
func (t *Trees) Scan(ctx context.Context, rev string, cfg *config.Config) ([]finding.Finding, error) {
	if t.end == nil {
		t.end = frugal() // for all scans: what one leaves is what the next one starts from, and no garbage
	}
	src, opts := tree.NewCommit(t.repo, rev), scanOptions(cfg, false)
	files, err := t.list(ctx, rev, src)
	if err != nil {
		return nil, err
	}
	opts.Now, opts.Shelf, opts.Pace = time.Now(), t.Shelf, t.Pace
	key := sync.OnceValue(func() string { return scancache.Key(checks.Looked(files, opts), opts, Tool().Rules, opts.Now) })
	for _, l := range t.last {
		if l.key() == key() && key() != "" {
			return slices.Clone(l.findings), nil
		}
	}
	if t.scans++; (t.Many || t.scans > fewScans) && t.walk == nil {
		t.walk = walk()
	}
	rep, err := t.memory.Scan(ctx, listed{src, files}, opts)
	if err != nil {
		return nil, err
	}
	if t.TipFirst && t.tip == nil {
		t.tip = func() { _, _ = t.memory.Scan(ctx, listed{src, files}, opts) } // all of it is known; what fails costs the next push its time
	}
	if !rep.Transient {
		t.last = slices.Insert(t.last, 0, treeFindings{key, slices.Clone(rep.Findings)})
		t.last = t.last[:min(len(t.last), lastTrees)]
	}
	return rep.Findings, nil
}

// Soon says that a commit will be scanned. It may be called from several goroutines, beside a scan.
func (t *Trees) Soon(ctx context.Context, rev string) { t.soon.begin(ctx, t.repo, rev) }

// list lists the files of a source, and reads the memory meanwhile.
func (t *Trees) list(ctx context.Context, rev string, src checks.Source) (files []checks.File, err error) {
	var g sync.WaitGroup
	g.Go(func() {
		var ok bool
		if files, ok = t.soon.take(rev); !ok {
			files, err = src.Files(ctx)
		}
	})
	if t.memory == nil {
		t.memory = remembered(t.cache, registry.Rules)
	}
	g.Wait()
	return files, err
}

// Keep ends a series of scans, and saves for other processes what was learned, when it was much.
func (t *Trees) Keep() {
	t.soon.end()
	if t.end != nil {
		defer t.end()
		t.end = nil
	}
	if t.walk != nil {
		t.walk()
		t.walk, t.scans = nil, 0
	}
	if t.memory == nil {
		return
	}
	if t.tip != nil && t.scans > 1 && t.cache != nil && t.memory.Spent() > worthKeeping {
		t.tip()
	}
	keep(t.cache, t.memory)
}
