package gate

import (
	"context"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/tree"
)

// Trees scans many commits of one repository: what two of them share is read and interpreted once. It may be used from
// several goroutines, which take turns.
type Trees struct{ memory *checks.Memory }

// NewTrees has seen no commit yet.
func NewTrees() *Trees { return &Trees{checks.NewMemory()} }

// Scan scans the whole tree of a commit with cfg: the form that the hook and the fix log use.
func (t *Trees) Scan(ctx context.Context, repo git.Repository, rev string, cfg *config.Config) ([]finding.Finding, error) {
	defer frugal()()
	rep, err := t.memory.Scan(ctx, tree.NewCommit(repo, rev), scanOptions(cfg, false))
	if err != nil {
		return nil, err
	}
	return rep.Findings, nil
}
