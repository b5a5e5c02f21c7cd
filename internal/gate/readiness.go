package gate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gatebot/gatebot/checks/registry"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/fixlog"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/readiness"
)

// ReadinessPath is the readiness document of a repository whose fix log has no document of its own choice.
const ReadinessPath = "READINESS.md"

// ReadinessRequest says what the readiness document is made of.
type ReadinessRequest struct {
	Dir      string
	Document string    // path below Dir; empty means the fix log's document when the configuration names one
	Results  string    // results file of the last check, below Dir; it need not be there
	Before   string    // revision to count against; empty means what the document says, else before the first fix
	Ran      time.Time // when that check ran; zero means when its file was written
	Check    bool      // write nothing, only say whether the document is up to date
}

// Readiness renders the sections of the readiness document and writes it. It reports the path, and whether the
// document changed (with Check: whether it would).
func Readiness(ctx context.Context, r ReadinessRequest) (name string, changed bool, err error) {
	run, err := Scan(ctx, Request{Dir: r.Dir})
	if err != nil {
		return "", false, err
	}
	defer func() { err = errors.Join(err, run.Close()) }()
	if run.repo == nil || run.repo.Root() == "" {
		return "", false, &UsageError{"the readiness document needs a repository with a working tree"}
	}
	if name = r.Document; name == "" {
		name = filepath.Join(run.repo.Root(), filepath.FromSlash(documentOf(run.Config)))
	} else if !filepath.IsAbs(name) {
		name = filepath.Join(r.Dir, name)
	}
	old, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", false, err
	}
	if _, err := readiness.Baseline(old); err != nil { // before anything expensive
		return name, false, &UsageError{fmt.Sprintf("%s: %v", name, err)}
	}
	in := readiness.Input{Now: run.Results.Findings, Hazards: run.Config.Hazards, Classes: Classes(), ResultsFile: r.Results}
	if err := r.fill(ctx, run, old, &in); err != nil {
		return name, false, err
	}
	doc, err := readiness.Update(old, in, run.Config.FixLog.Heading)
	if err != nil {
		return name, false, &UsageError{fmt.Sprintf("%s: %v", name, err)}
	}
	if bytes.Equal(doc, old) || r.Check {
		return name, !bytes.Equal(doc, old), nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return name, false, err
	}
	return name, true, replaceFile(name, doc)
}

// documentOf is the document that the configuration names: people keep one for both.
func documentOf(c *config.Config) string {
	if c.FixLog.Path != config.Default().FixLog.Path {
		return c.FixLog.Path
	}
	return ReadinessPath
}

func (r ReadinessRequest) fill(ctx context.Context, run *Run, old []byte, in *readiness.Input) (err error) {
	head, err := run.repo.Resolve(ctx, "HEAD")
	if errors.Is(err, git.ErrNotFound) {
		return &UsageError{"there is no commit yet (the document compares with one)"}
	}
	if err != nil {
		return err
	}
	in.Commit = head
	if in.Results, in.Ran, err = r.results(); err != nil {
		return err
	}
	log, err := r.log(ctx)
	if err != nil {
		return err
	}
	for _, rec := range log {
		in.Fixes = append(in.Fixes, readiness.Fix{Commit: rec.Commit, Rule: rec.Rule, Description: description(rec),
			Regressed: rec.State == fixlog.Regressed})
	}
	if in.BeforeRev, err = r.before(ctx, run.repo, old, log, head); err != nil {
		return err
	}
	trees := NewTrees(run.repo)
	defer trees.Keep()
	if in.Before, err = trees.Scan(ctx, in.BeforeRev, run.Config); err != nil {
		return fmt.Errorf("findings of %.7s: %w", in.BeforeRev, err)
	}
	if in.GatedCommit, in.GatedSince, err = gatedSince(ctx, run.repo, head); err != nil {
		return err
	}
	return nil
}

// results reads the file of the last check. One that is not there is no error; one that is damaged is.
func (r ReadinessRequest) results() (*finding.Results, time.Time, error) {
	name := r.Results
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.Dir, name)
	}
	info, err := os.Stat(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, time.Time{}, nil
	}
	if err != nil {
		return nil, time.Time{}, err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, time.Time{}, err
	}
	res, err := finding.Read(data)
	if err != nil {
		return nil, time.Time{}, &UsageError{fmt.Sprintf("--results %s: %v", r.Results, err)}
	}
	if !r.Ran.IsZero() {
		return res, r.Ran, nil
	}
	return res, info.ModTime(), nil
}

// log is what the fix log has of fixes that were found, oldest first. A log that is switched off has nothing.
func (r ReadinessRequest) log(ctx context.Context) (records []fixlog.Record, err error) {
	l, err := OpenFixLog(ctx, r.Dir)
	var off *logOffError
	if errors.As(err, &off) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	for _, rec := range landed(l.Ledger).Records {
		if rec.Rule != "" && (rec.State == fixlog.Fixed || rec.State == fixlog.Regressed) {
			records = append(records, rec)
		}
	}
	slices.SortStableFunc(records, func(a, b fixlog.Record) int { return a.When.Compare(b.When) })
	return records, nil
}

func description(r fixlog.Record) string {
	if r.Human != "" {
		return r.Human
	}
	return r.Description
}

// before is the commit that the checklist compares with.
func (r ReadinessRequest) before(ctx context.Context, repo git.Repository, doc []byte, log []fixlog.Record, head string) (string, error) {
	if r.Before != "" {
		id, err := repo.Resolve(ctx, r.Before)
		if err != nil {
			return "", notFound("--before "+r.Before, err)
		}
		return id, nil
	}
	known, err := readiness.Baseline(doc)
	if err != nil {
		return "", &UsageError{err.Error()}
	}
	if known != "" {
		id, err := repo.Resolve(ctx, known)
		if errors.Is(err, git.ErrNotFound) {
			return "", &UsageError{fmt.Sprintf("the checklist counts against %.12s, which is not here (fetch it, or name another commit with --before)", known)}
		}
		return id, err
	}
	for _, rec := range log {
		if repo.Has(ctx, rec.Parent) {
			return rec.Parent, nil
		}
	}
	return head, nil
}

// gatedSince is the commit that brought the gate configuration; zero when there is none.
func gatedSince(ctx context.Context, repo git.Repository, head string) (string, time.Time, error) {
	cli, ok := repo.(*git.CLI)
	if !ok {
		return "", time.Time{}, nil
	}
	id, err := cli.Added(ctx, head, config.FileName)
	if errors.Is(err, git.ErrNotFound) {
		return "", time.Time{}, nil
	}
	if err != nil {
		return "", time.Time{}, err
	}
	c, err := repo.Commit(ctx, id)
	return id, c.When, err
}

// Classes are the groups of the catalogue, in its order.
func Classes() []readiness.Class {
	var all []readiness.Class
	for _, e := range registry.Catalogue() {
		i := slices.IndexFunc(all, func(c readiness.Class) bool { return c.Name == e.Group })
		if i < 0 {
			i = len(all)
			all = append(all, readiness.Class{Name: e.Group})
		}
		all[i].Rules = append(all[i].Rules, e.ID)
	}
	return all
}
