package fixlog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
)

// Scanner finds the violations of the tree of a commit, with the configuration that the commit carries.
type Scanner interface {
	Scan(ctx context.Context, rev string) ([]finding.Finding, error)
}

// ScanFunc is a Scanner made of a function.
type ScanFunc func(ctx context.Context, rev string) ([]finding.Finding, error)

// Scan calls f.
func (f ScanFunc) Scan(ctx context.Context, rev string) ([]finding.Finding, error) {
	return f(ctx, rev)
}

// ErrNotAnalysable is what a Scanner wraps when this commit cannot be scanned, today or ever (a broken configuration
// in it, say). No claim is then made about the commit and its child. Any other error stops an update, so that a fault
// of the machine never makes a fix go unlogged.
var ErrNotAnalysable = errors.New("commit cannot be analyzed")

// scanned gives the findings of commits, each tree scanned once while it is near.
type scanned struct {
	repo    git.Repository
	scanner Scanner
	byTree  map[string][]finding.Finding
	order   []string
}

// keepTrees is how many trees' findings are kept: a commit, its parent, and some for reverts close by.
const keepTrees = 16

func newScanned(repo git.Repository, s Scanner) *scanned {
	return &scanned{repo: repo, scanner: s, byTree: map[string][]finding.Finding{}}
}

func (a *scanned) findings(ctx context.Context, c git.Commit) ([]finding.Finding, error) {
	if fs, ok := a.byTree[c.Tree]; ok {
		return fs, nil
	}
	fs, err := a.scanner.Scan(ctx, c.ID)
	if err != nil {
		if ctx.Err() == nil && errors.Is(err, git.ErrNotFound) {
			err = fmt.Errorf("%w: %w", ErrNotAnalysable, err) // a partial clone
		}
		return nil, fmt.Errorf("scan %.7s: %w", c.ID, err)
	}
	a.keep(c.Tree, fs)
	return fs, nil
}

func (a *scanned) keep(tree string, fs []finding.Finding) {
	if _, ok := a.byTree[tree]; ok {
		return
	}
	a.byTree[tree] = fs
	a.order = append(a.order, tree)
	if len(a.order) > keepTrees {
		delete(a.byTree, a.order[0])
		a.order = a.order[1:]
	}
}

// summarize reads a diff. onlyLog: nothing but the log's own files changed; inert: nothing that a scan looks at did.
func summarize(changes []git.Change, configPath string, logPaths []string) (c change, onlyLog, inert bool) {
	c = change{renamed: map[string]string{}, deleted: map[string]bool{}, touched: map[string]bool{}}
	onlyLog, inert = len(changes) > 0, true
	for _, x := range changes {
		switch x.Status {
		case 'R':
			c.renamed[x.OldPath] = x.Path
			c.touched[x.OldPath] = x.OldBlob != x.Blob
		case 'D':
			c.deleted[x.Path] = true
		default:
			c.touched[x.Path] = true
		}
		c.config = c.config || x.Path == configPath || x.OldPath == configPath
		onlyLog = onlyLog && slices.Contains(logPaths, x.Path) && slices.Contains(logPaths, x.OldPath)
		if config.IsSource(x.Path) || config.IsSource(x.OldPath) {
			inert = false
		}
	}
	return c, onlyLog, inert && !c.config
}
