package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/fixlog"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/queue"
)

// Scan finds the violations of a commit of the repository in dir. It wraps fixlog.ErrNotAnalysable when the commit
// itself is the obstacle.
type Scan func(ctx context.Context, dir, rev string) ([]finding.Finding, error)

// fixLog brings the fix log up to date after pushes to the default branch, one push after the other.
type fixLog struct {
	*planner
	scan Scan
}

// onEvent handles one push. Everything is worked out anew from the ledger and the branch as they are now: an event that
// comes twice, late or never makes no difference to what the log says in the end.
func (f *fixLog) onEvent(ctx context.Context, _ queue.Event, t Trigger) error {
	if t.Kind != KindLand {
		return nil
	}
	me, err := f.gh.Login(ctx)
	if err != nil {
		return err
	}
	if t.Sender == me {
		f.log.InfoContext(ctx, "fix log: our own push")
		return nil
	}
	branch := "refs/heads/" + t.Repo.Default
	dir, err := f.mirrors.Fetch(ctx, t.Repo, branch)
	if err != nil {
		return err
	}
	tip, err := f.mirrors.Resolve(ctx, dir, branch)
	if err != nil {
		return err
	}
	data, found, err := f.mirrors.ReadFile(ctx, dir, tip, config.FileName)
	if err != nil {
		return err
	}
	cfg := config.Default()
	if found {
		if cfg, err = f.parse(config.FileName, data); err != nil {
			return &dropError{fmt.Sprintf("fix log: configuration of %.12s: %v", tip, err)}
		}
	}
	if cfg.FixLog.Mode == "off" {
		return nil
	}
	doc := logDocument{repo: t.Repo, dir: dir, tip: tip, path: cfg.FixLog.Path, heading: cfg.FixLog.Heading, mode: cfg.FixLog.Mode}
	ledger, err := f.ledger(ctx, &doc, t.Base)
	if err != nil {
		return err
	}
	switch doc.mode {
	case "pr", "push":
		err = f.table(ctx, &doc, ledger)
	case "fragments":
		err = f.fragments(ctx, &doc, ledger)
	case "notes":
		return f.notes(ctx, &doc, ledger)
	default:
		return &dropError{fmt.Sprintf("fix log: mode %q is none of pr, push, fragments, notes, off", doc.mode)}
	}
	if err != nil {
		return err
	}
	if len(doc.files) == 0 {
		f.log.InfoContext(ctx, "fix log: nothing new", "tip", tip)
		return nil
	}
	return f.write(ctx, &doc)
}

// table is the log as one table in one document.
func (f *fixLog) table(ctx context.Context, doc *logDocument, ledger *fixlog.Ledger) error {
	now, err := fixlog.Merge(doc.old, ledger, doc.heading)
	if err != nil {
		return err
	}
	return f.add(ctx, doc, doc.path, now)
}

// add puts a file into the document unless the default branch has it so.
func (f *fixLog) add(ctx context.Context, doc *logDocument, path string, now []byte) error {
	old, _, err := f.mirrors.ReadFile(ctx, doc.dir, doc.tip, path)
	if err != nil || bytes.Equal(old, now) {
		return err
	}
	if doc.files == nil {
		doc.files = map[string]logFile{}
	}
	doc.files[path] = logFile{old, now}
	return nil
}

// logDocument is one version of the log on its way.
type logDocument struct {
	repo     queue.Repo
	dir, tip string // mirror, and the default branch's head in it
	path     string
	heading  string
	mode     string
	old      []byte             // the document as the default branch has it
	files    map[string]logFile // what is to be written
}

type logFile struct{ old, new []byte }

// ledgerKey is where a repository's ledger is kept.
func ledgerKey(repo int64) string { return "ledger/" + strconv.FormatInt(repo, 10) }

// ledger extends the ledger to the tip and stores it. A new ledger begins where the push did: what was fixed before gatebot
// watched is for `gatebot fixlog update`. No commit is skipped by a quick look, as on the command line: that parses in this
// process, and what strangers wrote is only ever parsed in a child.
func (f *fixLog) ledger(ctx context.Context, doc *logDocument, before string) (_ *fixlog.Ledger, err error) {
	if doc.old, _, err = f.mirrors.ReadFile(ctx, doc.dir, doc.tip, doc.path); err != nil {
		return nil, err
	}
	key := ledgerKey(doc.repo.ID)
	rec, err := f.q.Get(ctx, queue.BucketFixLog, key)
	missing := errors.Is(err, queue.ErrNotFound)
	if err != nil && !missing {
		return nil, err
	}
	ledger, err := fixlog.Decode(bytes.NewReader(rec.Value))
	if err != nil {
		return nil, err
	}
	repo, err := git.Open(ctx, doc.dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = repo.Close() }() // its children end with it; nothing of ours is lost
	// What was read before an error is kept: the next try goes on there.
	failed := f.extend(ctx, repo, ledger, doc, before)
	data, err := ledger.Bytes()
	if err != nil {
		return nil, errors.Join(failed, err)
	}
	switch {
	case missing:
		_, err = f.q.Create(ctx, queue.BucketFixLog, key, data)
	case !bytes.Equal(data, rec.Value):
		_, err = f.q.Update(ctx, queue.BucketFixLog, key, data, rec.Revision)
	}
	if err != nil {
		return nil, errors.Join(failed, fmt.Errorf("fix log ledger: %w", err))
	}
	if failed != nil {
		return nil, failed
	}
	return ledger, nil
}

// extend adopts what people wrote and walks the new commits.
func (f *fixLog) extend(ctx context.Context, repo git.Repository, ledger *fixlog.Ledger, doc *logDocument, before string) error {
	rows, err := fixlog.ReadRows(doc.old, doc.heading)
	if err != nil && !errors.Is(err, fixlog.ErrNoTable) {
		return &dropError{fmt.Sprintf("fix log: %s: %v", doc.path, err)}
	}
	if err := ledger.Adopt(ctx, repo, rows); err != nil {
		return err
	}
	o := fixlog.Options{Tip: doc.tip, LogPaths: []string{doc.path}}
	if ledger.Tip == "" && before != "" && repo.Has(ctx, before) {
		o.After = before
	}
	for {
		out, err := fixlog.Update(ctx, repo, fixlog.ScanFunc(func(ctx context.Context, rev string) ([]finding.Finding, error) {
			return f.scan(ctx, doc.dir, rev)
		}), ledger, o)
		if err != nil {
			return err
		}
		for _, note := range out.Notes {
			f.log.WarnContext(ctx, "fix log: "+note)
		}
		f.log.InfoContext(ctx, "fix log: read history", "commits", out.Commits, "changed", len(out.Changed), "left", out.More)
		if out.More == 0 {
			return nil
		}
		o.After = ""
	}
}
