package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/git"
)

// quiet scans the files that a commit touched, as they were and as they are, each set by itself and every function as
// if it were hot. When the two sets hold the same hazards in the same functions, however little is known of them, the
// commit is no fix by what it changed. It costs milliseconds; the whole tree costs seconds.
func quiet(ctx context.Context, repo git.Repository, cfg *config.Config, c git.Commit, changes []git.Change) (bool, error) {
	if cfg == nil {
		var err error
		cfg, err = TreeConfig(ctx, repo, c.ID)
		var broken *config.Error
		if errors.As(err, &broken) {
			return false, nil //nolint:nilerr // the full scan says why it makes no claim
		}
		if err != nil {
			return false, err
		}
	}
	var old, now touched
	for _, x := range changes {
		if x.OldBlob != "" && !git.IsZeroID(x.OldBlob) && regular(x.OldMode) {
			old.add(cmp.Or(x.OldPath, x.Path), x.OldBlob)
		}
		if x.Blob != "" && !git.IsZeroID(x.Blob) && regular(x.NewMode) {
			now.add(x.Path, x.Blob)
		}
	}
	before, err := old.hazards(ctx, repo, cfg)
	if err != nil {
		return false, err
	}
	after, err := now.hazards(ctx, repo, cfg)
	return err == nil && slices.Equal(before, after), err
}

func regular(mode uint32) bool { return mode == git.ModeFile || mode == git.ModeExec }

// touched is the files that a commit touched, in one of their two states.
type touched struct {
	repo  git.Repository
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

func (t *touched) hazards(ctx context.Context, repo git.Repository, cfg *config.Config) ([]string, error) {
	if len(t.files) == 0 {
		return nil, nil
	}
	t.repo = repo
	slices.SortFunc(t.files, func(a, b checks.File) int { return cmp.Compare(a.Path, b.Path) })
	rep, err := checks.Scan(ctx, t, scanOptions(cfg, true))
	if err != nil {
		return nil, fmt.Errorf("touched files: %w", err)
	}
	var all []string
	for i := range rep.Findings {
		f := &rep.Findings[i]
		key := f.MoveKey
		if key == "" {
			key = f.Fingerprint
		}
		all = append(all, fmt.Sprintf("%s %s %s %t %s", f.Rule, f.Function, key, f.Suppressed != nil, f.Confidence))
	}
	slices.Sort(all)
	return all, nil
}
