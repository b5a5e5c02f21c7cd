package gate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/fixlog"
	"github.com/gatebot/gatebot/internal/git"
)

// LedgerPath is where a repository keeps its ledger when it is kept in the repository.
const LedgerPath = ".gatebot/fixlog.jsonl"

// FixLog is the fix log of a local repository: ledger and document in its working tree.
type FixLog struct {
	Ledger   *fixlog.Ledger
	Document []byte // as it is on disk
	Config   *config.Config
	root     string
	repo     git.Repository
}

// OpenFixLog reads ledger and document of the repository around dir. What people wrote in the document is adopted.
func OpenFixLog(ctx context.Context, dir string) (*FixLog, error) {
	repo, err := git.Open(ctx, dir)
	if errors.Is(err, git.ErrNotRepository) {
		return nil, &UsageError{err.Error()}
	}
	if err != nil {
		return nil, err
	}
	if repo.Root() == "" {
		return nil, &UsageError{"a bare repository has no working tree to keep the fix log in (run this in a clone)"}
	}
	l := &FixLog{root: repo.Root(), repo: repo}
	if l.Config, err = loadConfig(ctx, Request{Dir: dir}, &target{root: l.root}); err != nil {
		return nil, err
	}
	data, err := l.file(LedgerPath)
	if err != nil {
		return nil, err
	}
	if l.Ledger, err = fixlog.Decode(bytes.NewReader(data)); err != nil {
		return nil, &UsageError{fmt.Sprintf("%s: %v (restore it from git)", LedgerPath, err)}
	}
	if l.Document, err = l.file(l.Config.FixLog.Path); err != nil {
		return nil, err
	}
	rows, err := fixlog.ReadRows(l.Document, l.Config.FixLog.Heading)
	if err != nil && !errors.Is(err, fixlog.ErrNoTable) {
		return nil, &UsageError{fmt.Sprintf("%s: %v", l.Config.FixLog.Path, err)}
	}
	return l, l.Ledger.Adopt(ctx, repo, rows)
}

// Close ends what reads the repository.
func (l *FixLog) Close() error { return l.repo.Close() }

// Update walks "A..B" (or up to HEAD from where the ledger stands, when rng is empty), and returns what changed.
func (l *FixLog) Update(ctx context.Context, rng string) (*fixlog.Outcome, error) {
	o := fixlog.Options{LogPaths: []string{l.Config.FixLog.Path, LedgerPath}}
	if rng != "" {
		a, b, ok := strings.Cut(rng, "..")
		if !ok || a == "" || b == "" || strings.HasPrefix(b, ".") {
			return nil, &UsageError{fmt.Sprintf("%q is not a range A..B", rng)}
		}
		for _, rev := range []string{a, b} {
			if _, err := l.repo.Resolve(ctx, rev); err != nil {
				return nil, notFound(rev, err)
			}
		}
		o.After, o.Tip = a, b
	}
	total := &fixlog.Outcome{}
	for {
		out, err := fixlog.Update(ctx, l.repo, fixlog.ScanFunc(l.scan), l.Ledger, o)
		if err != nil {
			return nil, err
		}
		total.Commits += out.Commits
		total.Changed = append(total.Changed, out.Changed...)
		total.Notes = append(total.Notes, out.Notes...)
		if out.More == 0 {
			return total, nil
		}
		o.After = "" // the ledger's tip says where to go on
	}
}

func (l *FixLog) scan(ctx context.Context, rev string) ([]finding.Finding, error) {
	cfg, err := TreeConfig(ctx, l.repo, rev)
	if err != nil {
		var ce *config.Error
		if errors.As(err, &ce) {
			return nil, fmt.Errorf("%w: %w", fixlog.ErrNotAnalysable, err)
		}
		return nil, err
	}
	return Tree(ctx, l.repo, rev, cfg)
}

// Render is the document as the ledger wants it.
func (l *FixLog) Render() ([]byte, error) {
	return fixlog.Merge(l.Document, l.Ledger, l.Config.FixLog.Heading)
}

// Save writes ledger and document, each in one step; it reports whether the document changed.
func (l *FixLog) Save() (changed bool, err error) {
	doc, err := l.Render()
	if err != nil {
		return false, err
	}
	data, err := l.Ledger.Bytes()
	if err != nil {
		return false, err
	}
	changed = !bytes.Equal(doc, l.Document)
	if err := l.write(LedgerPath, data); err != nil {
		return false, err
	}
	if changed {
		if err := l.write(l.Config.FixLog.Path, doc); err != nil {
			return false, err
		}
	}
	l.Document = doc
	return changed, nil
}

func (l *FixLog) file(name string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(l.root, filepath.FromSlash(name)))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

func (l *FixLog) write(name string, data []byte) error {
	file := filepath.Join(l.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("fix log: %w", err)
	}
	return replaceFile(file, data)
}

// replaceFile writes a file in one step, so that a broken run leaves the old one.
func replaceFile(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".gatebot-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", name, err), os.Remove(f.Name()))
	}
	return nil
}
