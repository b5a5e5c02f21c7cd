package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/fixlog"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/pyast"
)

// look scans the files that a commit touched, as they were and as they are, each set by itself and every function as
// if it were hot. When the second set has all hazards of the first in the same functions, however little is known of
// them, the commit is no fix by what it changed. It costs milliseconds; the whole tree costs seconds.
func look(ctx context.Context, repo git.Repository, shelf *pyast.Shelf, cfg *config.Config, c git.Commit, changes []git.Change) (fixlog.Look, error) {
	if cfg == nil {
		var err error
		cfg, err = TreeConfig(ctx, repo, c.ID)
		var broken *config.Error
		if errors.As(err, &broken) {
			return fixlog.Look{Sight: fixlog.Exact}, nil //nolint:nilerr // the full scan says why it makes no claim
		}
		if err != nil {
			return fixlog.Look{}, err
		}
	}
	out := fixlog.Look{Seen: seen(cfg, changes)}
	old, now := touched{repo: repo, shelf: shelf}, touched{repo: repo, shelf: shelf}
	for _, x := range out.Seen {
		if x.OldBlob != "" && !git.IsZeroID(x.OldBlob) && regular(x.OldMode) {
			old.add(cmp.Or(x.OldPath, x.Path), x.OldBlob)
		}
		if x.Blob != "" && !git.IsZeroID(x.Blob) && regular(x.NewMode) {
			now.add(x.Path, x.Blob)
		}
	}
	before, err := old.findings(ctx, cfg)
	if err != nil {
		return out, err
	}
	after, err := now.findings(ctx, cfg)
	if err != nil {
		return out, err
	}
	left := map[string]int{}
	for i := range before {
		left[hazard(&before[i])]++
	}
	for i := range after {
		key := hazard(&after[i])
		if left[key]--; left[key] < 0 {
			out.Gained = append(out.Gained, after[i])
		}
	}
	for _, n := range left {
		if n > 0 {
			out.Sight = fixlog.Lost
		}
	}
	return out, nil
}

// seen are the changes of files whose content a scan depends on, before or after.
func seen(cfg *config.Config, changes []git.Change) (out []git.Change) {
	files := make([]checks.File, 0, 2*len(changes))
	for _, x := range changes {
		if regular(x.OldMode) {
			files = append(files, checks.File{Path: cmp.Or(x.OldPath, x.Path)})
		}
		if regular(x.NewMode) {
			files = append(files, checks.File{Path: x.Path})
		}
	}
	looked := map[string]bool{}
	for _, f := range checks.Looked(files, scanOptions(cfg, false)) {
		looked[f.Path] = true
	}
	for _, x := range changes {
		if looked[x.Path] || looked[cmp.Or(x.OldPath, x.Path)] {
			out = append(out, x)
		}
	}
	return out
}

func regular(mode uint32) bool { return mode == git.ModeFile || mode == git.ModeExec }

// touched is the files that a commit touched, in one of their two states.
type touched struct {
	repo  git.Repository
	shelf *pyast.Shelf
	files []checks.File
}

func (t *touched) add(path, blob string) {
	t.files = append(t.files, checks.File{Path: path, ID: blob, Size: -1})
}

// Files lists them.
func (t *touched) Files(context.Context) ([]checks.File, error) { return t.files, nil }

// Read reads one.
func (t *touched) Read(ctx context.Context, f checks.File) (content []byte, err error) {
	err = t.repo.Blobs(ctx, []string{f.ID}, func(_ string, data []byte, err error) error {
		content = data
		return err
	})
	return content, err
}

// findings scans them, each function as if it were hot. What no step runs, whoever calls it, is no violation of a tree, and
// no fix where it goes.
func (t *touched) findings(ctx context.Context, cfg *config.Config) ([]finding.Finding, error) {
	if len(t.files) == 0 {
		return nil, nil
	}
	slices.SortFunc(t.files, func(a, b checks.File) int { return cmp.Compare(a.Path, b.Path) })
	opts := scanOptions(cfg, true)
	opts.Shelf, opts.SkipCold = t.shelf, true
	rep, err := checks.Scan(ctx, t, opts)
	if err != nil {
		return nil, fmt.Errorf("touched files: %w", err)
	}
	return rep.Findings, nil
}

// hazard is a finding by what does not move: rule, function, source text, and how much is known of it.
func hazard(f *finding.Finding) string {
	return fmt.Sprintf("%s %s %s %t %s", f.Rule, f.Function, cmp.Or(f.MoveKey, f.Fingerprint), f.Suppressed != nil, f.Confidence)
}
