package gate

import (
	"context"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/registry"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
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
}

// NewTrees has seen no commit yet.
func NewTrees(repo git.Repository) *Trees {
	return &Trees{repo: repo, cache: openCache(Request{}, repo)}
}

// Scan scans the whole tree of a commit with cfg: the form that the hook and the fix log use.
func (t *Trees) Scan(ctx context.Context, rev string, cfg *config.Config) ([]finding.Finding, error) {
	if t.end == nil {
		t.end = frugal() // for all scans: what one leaves is what the next one starts from, and no garbage
	}
	if t.memory == nil {
		t.memory = t.cache.Memory(Tool().Rules, registry.Rules)
	}
	rep, err := t.memory.Scan(ctx, tree.NewCommit(t.repo, rev), scanOptions(cfg, false))
	if err != nil {
		return nil, err
	}
	return rep.Findings, nil
}

// Keep ends a series of scans, and saves for other processes what was learned, when it was much.
func (t *Trees) Keep() {
	if t.end != nil {
		defer t.end()
		t.end = nil
	}
	if t.memory != nil {
		keep(t.cache, t.memory)
	}
}
