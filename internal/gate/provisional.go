package gate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/fixlog"
	"github.com/gatebot/gatebot/internal/git"
)

// provisional is the log of what this clone's own commits fixed before they landed, in the common git directory, where
// no commit picks it up. Writers append, so that two worktrees may commit at once.
type provisional struct{ repo git.Repository }

// provisionalMost is the size in bytes above which the file is written anew.
const provisionalMost = 256 << 10

func (p provisional) file() string {
	return filepath.Join(p.repo.CommonDir(), "gatebot", "provisional.jsonl")
}

// read gives the entries that still wait. What was dropped from every branch and collected waits no more.
func (p provisional) read(ctx context.Context) (*fixlog.Ledger, error) {
	data, err := os.ReadFile(p.file())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	all, err := fixlog.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w (it holds nothing but entries of unlanded commits: remove it)", p.file(), err)
	}
	out := &fixlog.Ledger{}
	for _, r := range all.Records {
		if r.State == fixlog.Open && p.repo.Has(ctx, r.Commit) {
			out.Records = append(out.Records, r)
		}
	}
	return out, nil
}

// join adds the entries to a ledger, so that an update sees them land.
func (p provisional) join(ctx context.Context, l *fixlog.Ledger) error {
	waiting, err := p.read(ctx)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, r := range l.Records {
		known[r.ID] = true
	}
	for _, r := range waiting.Records {
		if !known[r.ID] {
			l.Records = append(l.Records, r)
		}
	}
	return nil
}

// settle records which entries do not wait any more.
func (p provisional) settle(l *fixlog.Ledger) error {
	info, err := os.Stat(p.file())
	if errors.Is(err, os.ErrNotExist) {
		return nil // there never were any
	}
	if err != nil {
		return err
	}
	var waiting, done []fixlog.Record
	for _, r := range l.Records {
		switch {
		case r.State == fixlog.Open:
			waiting = append(waiting, r)
		case r.Provisional:
			done = append(done, r)
		}
	}
	if info.Size() > provisionalMost {
		data, err := (&fixlog.Ledger{Records: waiting}).Bytes()
		if err != nil {
			return err
		}
		return replaceFile(p.file(), data)
	}
	return p.append(done)
}

// append writes records behind the others.
func (p provisional) append(records []fixlog.Record) (err error) {
	if len(records) == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(p.file()), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(p.file(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	var data bytes.Buffer
	l := &fixlog.Ledger{Records: records}
	if info.Size() == 0 {
		err = l.Encode(&data)
	} else {
		err = l.Append(&data, records)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data.Bytes()) // one write, so that it is whole or not there
	return err
}

// AfterCommit looks at the commit that was just made in the repository around dir, keeps what it fixed as provisional
// entries, and returns them. During a rebase it does nothing: the landed commits are recognized by their patches. Seen is
// told what was found in the commits that had to be scanned for it.
func AfterCommit(ctx context.Context, dir string, seen func(context.Context, git.Repository, string, []finding.Finding)) ([]fixlog.Record, error) {
	repo, err := git.Open(ctx, dir, git.HookEnv())
	if err != nil {
		return nil, err
	}
	defer func() { _ = repo.Close() }() // only readers end with it
	for _, name := range []string{"rebase-merge", "rebase-apply"} {
		if _, err := os.Stat(filepath.Join(repo.Dir(), name)); err == nil {
			return nil, nil
		}
	}
	id, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	c, err := repo.Commit(ctx, id)
	if err != nil || len(c.Parents) != 1 || !repo.Has(ctx, c.Parents[0]) {
		return nil, err
	}
	cfg, err := TreeConfig(ctx, repo, id)
	var broken *config.Error
	if errors.As(err, &broken) || err == nil && cfg.FixLog.Mode == "off" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p := provisional{repo: repo}
	l, err := p.read(ctx)
	if err != nil {
		return nil, err
	}
	trees := NewTrees(repo)
	defer trees.Keep()
	out, err := fixlog.Update(ctx, repo, fixlog.ScanFunc(func(ctx context.Context, rev string) ([]finding.Finding, error) {
		fs, err := scanForLog(ctx, trees, rev)
		if err == nil {
			seen(ctx, repo, rev, fs)
		}
		return fs, err
	}), l, fixlog.Options{Tip: id, After: c.Parents[0], Open: true, LogPaths: []string{cfg.FixLog.Path, LedgerPath}})
	if err != nil {
		return nil, err
	}
	var mine []fixlog.Record
	for _, r := range out.Changed {
		if r.State == fixlog.Open && r.Commit == id {
			mine = append(mine, r)
		}
	}
	return mine, p.append(out.Changed)
}
