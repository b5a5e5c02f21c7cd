package fixlog

import (
	"context"
	"errors"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
)

// Look is what the files that a commit changed show by themselves, without the rest of its tree.
type Look struct {
	Sight
	// Seen are the changes of files that a scan looks at.
	Seen []git.Change
	// Gained are findings that it has and its parent does not.
	Gained []finding.Finding
}

// Sight says how much a quick look at a commit spares.
type Sight int

const (
	// Quiet means that no finding went. What came is no matter, since only what goes is a fix, unless it is one taken back.
	Quiet Sight = iota
	// Lost means that some went. Its parent is scanned, and so is the commit when one of them counts there.
	Lost
	// Exact means that nothing can be told: the commit is compared with its parent.
	Exact
)

// Looker is a quick look at what a commit changed. It is asked ahead, from several goroutines.
type Looker func(ctx context.Context, c git.Commit, changes []git.Change) (Look, error)

// glance is a commit with all that is known of it before any tree is scanned.
type glance struct {
	commit, parent git.Commit
	Look
	changes []git.Change
	change  change
	inert   bool // nothing that a scan looks at changed
	churn   churn
}

// glance looks at a commit. It depends on the commit alone.
func (u *update) glance(ctx context.Context, id string) (*glance, error) {
	g := &glance{commit: git.Commit{ID: id}, Look: Look{Sight: Exact}}
	if u.opts.Look == nil {
		return g, nil
	}
	var err error
	if g.commit, err = u.repo.Commit(ctx, id); err != nil || len(g.commit.Parents) == 0 {
		return g, err
	}
	if g.parent, err = u.repo.Commit(ctx, g.commit.Parents[0]); errors.Is(err, git.ErrNotFound) {
		return g, nil
	} else if err != nil {
		return nil, err
	}
	if g.changes, err = u.repo.Diff(ctx, g.parent.Tree, g.commit.Tree, true); err != nil {
		return nil, err
	}
	var onlyLog bool
	g.change, onlyLog, g.inert = summarize(g.changes, u.opts.ConfigPath, u.opts.LogPaths)
	switch {
	case onlyLog || g.inert:
		g.Sight, g.inert = Quiet, true
		return g, nil
	case g.change.config:
		return g, nil
	}
	if g.Look, err = u.opts.Look(ctx, g.commit, g.changes); err != nil || g.Sight == Exact {
		return g, err
	}
	g.inert = len(g.Seen) == 0
	if g.churn, err = u.churned(ctx, g.Seen); errors.Is(err, git.ErrNotFound) || errors.Is(err, git.ErrTooLarge) {
		g.Sight = Exact // a partial clone
		return g, nil
	}
	return g, err
}

// inScan reports whether one side of a change is a file that a scan looks into.
func inScan(path, blob string) bool {
	return blob != "" && !git.IsZeroID(blob) && config.IsSource(path)
}
