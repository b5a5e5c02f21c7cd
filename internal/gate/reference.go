package gate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gatebot/gatebot/gpu/harness"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/tree"
)

// reference is what the outputs of entry are compared with, nil when nobody asked for a comparison. Done removes what was
// written for it.
func (r CheckRequest) reference(ctx context.Context, run *Run, entry string) (ref *harness.Reference, done func(), err error) {
	done = func() {}
	name, tolerance := run.Config.Step.Reference, run.Config.Step.Tolerance
	if r.Reference != "" {
		name = r.Reference
	}
	if r.Tolerance != "" {
		if tolerance, err = config.ParseTolerance(r.Tolerance); err != nil {
			return nil, done, fmt.Errorf("--tolerance: %w", err)
		}
	}
	switch name {
	case "":
		return nil, done, nil
	case config.ReferenceBase:
		ref, done, err = r.baseReference(ctx, run, entry)
	default:
		ref, err = r.fileReference(run, entry, name)
	}
	if err != nil {
		done()
		return nil, func() {}, fmt.Errorf("reference %s: %w", name, err)
	}
	switch {
	case tolerance.ByDtype:
		ref.Tolerance = harness.ByDtype
	case tolerance != config.Tolerance{}:
		ref.Tolerance = [2]float64{tolerance.Relative, tolerance.Absolute}
	}
	return ref, done, nil
}

// mistaken refuses a reference or tolerance that was typed wrongly, before anything runs.
func (r CheckRequest) mistaken() error {
	if r.Tolerance != "" {
		if _, err := config.ParseTolerance(r.Tolerance); err != nil {
			return &UsageError{"--tolerance: " + err.Error()}
		}
	}
	if r.Reference == "" || r.Reference == config.ReferenceBase {
		return nil
	}
	name, _ := config.SplitReference(r.Reference)
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.Dir, name)
	}
	if info, err := os.Stat(name); err != nil || info.IsDir() {
		return &UsageError{fmt.Sprintf("--reference %s: no such file (name a module with step, or write base)", r.Reference)}
	}
	return nil
}

// fileReference is another module of the same tree, or another function of the step module.
func (r CheckRequest) fileReference(run *Run, entry, name string) (*harness.Reference, error) {
	file, function := config.SplitReference(name)
	base := run.Root
	if r.Reference != "" {
		base = r.Dir // as typed
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(base, file)
	}
	abs, rel, err := inTree(run.Root, file)
	if err != nil {
		return nil, err
	}
	if abs == entry && function == "step" {
		return nil, errors.New("it is the step module itself (name another FILE, or FILE:FUNCTION)")
	}
	label := rel
	if function != "step" {
		label += ":" + function
	}
	return &harness.Reference{Root: run.Root, Entry: abs, Step: function, Label: label}, nil
}

// baseReference is the step module as the base commit has it, in a folder of its own.
func (r CheckRequest) baseReference(ctx context.Context, run *Run, entry string) (*harness.Reference, func(), error) {
	commit, err := r.baseCommit(ctx, run)
	if err != nil {
		return nil, func() {}, err
	}
	_, rel, err := inTree(run.Root, entry)
	if err != nil {
		return nil, func() {}, err
	}
	if _, err := tree.ReadFile(ctx, run.repo, commit, rel); errors.Is(err, git.ErrNotFound) {
		return nil, func() {}, fmt.Errorf("%.12s has no %s (compare with a file instead: --reference FILE)", commit, rel)
	} else if err != nil {
		return nil, func() {}, err
	}
	dir, err := os.MkdirTemp("", "gatebot-base-")
	if err != nil {
		return nil, func() {}, err
	}
	done := func() { _ = os.RemoveAll(dir) } // a copy that stays behind harms nobody
	if err := tree.Export(ctx, run.repo, commit, dir); err != nil {
		return nil, done, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, done, err
	}
	at := filepath.Join(dir, filepath.FromSlash(rel))
	return &harness.Reference{Root: dir, Entry: at, Fallback: at, Label: fmt.Sprintf("base %.12s", commit)}, done, nil
}

// baseCommit is the commit that --base names. Without it, the one at which this branch left the default branch; on the
// default branch itself what was committed last, or the commit before that when the working tree has nothing new.
func (r CheckRequest) baseCommit(ctx context.Context, run *Run) (string, error) {
	repo := run.repo
	if repo == nil {
		return "", errors.New("this is no git repository (compare with a file instead: --reference FILE)")
	}
	if r.Base != "" {
		id, err := repo.Resolve(ctx, r.Base)
		if err != nil {
			return "", notFound(r.Base, err)
		}
		return id, nil
	}
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		return "", err
	}
	for _, name := range []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master"} {
		id, err := repo.Resolve(ctx, name)
		if errors.Is(err, git.ErrNotFound) {
			continue
		}
		if err != nil {
			return "", err
		}
		base, err := repo.MergeBase(ctx, head, id)
		if err != nil {
			return "", fmt.Errorf("merge base with %s: %w (name the commit with --base)", name, err)
		}
		if base != head {
			return base, nil
		}
		break
	}
	if run.Results.Commit == "" {
		switch err := unchanged(ctx, run, head, config.SourceExtensions...); {
		case errors.Is(err, errChanged):
			return head, nil
		case err != nil:
			return "", err
		}
	}
	c, err := repo.Commit(ctx, head)
	if err != nil {
		return "", err
	}
	if len(c.Parents) == 0 {
		return "", fmt.Errorf("%.12s has no parent, and nothing is changed (name the commit with --base)", head)
	}
	return c.Parents[0], nil
}
