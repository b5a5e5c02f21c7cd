package hooks

import (
	"context"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
)

// Remember keeps what a scan of a whole commit, with the configuration that it carries, has found, so that a push of it
// needs no scan: whoever scans each commit when it is made has done the work of the push. Rules names the rule set, as
// in PushOptions. It is a help only: what cannot be kept is found out by the push.
func Remember(ctx context.Context, repo git.Repository, rules, rev string, fs []finding.Finding) {
	c, err := repo.Commit(ctx, rev)
	if err != nil {
		return
	}
	openCache(repo, rules, "").put(c.Tree, fs)
}
