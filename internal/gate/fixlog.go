package gate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/fixlog"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/pyast"
)

// LedgerPath is where a repository keeps its ledger when it is kept in the repository.
const LedgerPath = ".gatebot/fixlog.jsonl"

// FixLog is the fix log of a local repository, as its configuration wants it kept.
type FixLog struct {
	Ledger   *fixlog.Ledger
	Document []byte // as it is on disk; nil in a mode without one
	Config   *config.Config
	Progress func(done, left int) // commits, while an update runs; may be nil
	// Judge is the configuration that every commit is scanned with, instead of its own: history that is older than the
	// configuration is read as if it had had it. Nil means each commit's own.
	Judge *config.Config
	// EveryCommit is set when no commit may be left out on the word of the files that it touches.
	EveryCommit bool
	root        string
	repo        git.Repository
	store       store
	trees       *Trees
	local       *provisional

	measured measurements
	states   map[string]state // by commit
}

// store is one way to keep the log (fixlog.mode).
type store interface {
	// load reads the ledger.
	load(ctx context.Context) (*fixlog.Ledger, error)
	// save writes what the ledger holds now and says what was written, or that nothing was.
	save(ctx context.Context, l *FixLog) (string, error)
}

const (
	// shelfBytes are room for the trees of what a few dozen commits touch, in their short form.
	shelfBytes = 16 << 20
	// versionBytes are room for the trees from which the next versions of the same files are parsed: 2 MB of source.
	versionBytes = 32 << 20
	// blobBytes are room for the text of files that a walk asks for again and again.
	blobBytes = 16 << 20
)

// OpenFixLog reads ledger and document of the repository around dir. What people wrote in the document is adopted.
func OpenFixLog(ctx context.Context, dir string) (*FixLog, error) {
	repo, err := git.Open(ctx, dir)
	if errors.Is(err, git.ErrNotRepository) {
		return nil, &UsageError{err.Error()}
	}
	if err != nil {
		return nil, err
	}
	l := &FixLog{root: repo.Root(), repo: repo, trees: NewTrees(repo)}
	l.trees.Shelf, l.trees.Pace = pyast.NewShelf(shelfBytes, versionBytes), &checks.Pace{}
	if err := l.open(ctx, dir); err != nil {
		return nil, errors.Join(err, repo.Close())
	}
	return l, nil
}

// JudgeWith reads the configuration that every commit is to be scanned with.
func (l *FixLog) JudgeWith(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return &UsageError{fmt.Sprintf("--config: %v (check the path)", err)}
	}
	l.Judge, err = config.Load(file, data)
	return err
}

func (l *FixLog) open(ctx context.Context, dir string) (err error) {
	if l.root == "" {
		return &UsageError{"a bare repository has no working tree to keep the fix log in (run this in a clone)"}
	}
	if l.Config, err = loadConfig(ctx, Request{Dir: dir}, &target{root: l.root}); err != nil {
		return err
	}
	if l.store, err = l.pickStore(); err != nil {
		return err
	}
	if l.Ledger, err = l.store.load(ctx); err != nil {
		return err
	}
	l.local = &provisional{repo: l.repo}
	if err := l.local.join(ctx, l.Ledger); err != nil {
		return err
	}
	if !l.hasDocument() {
		return nil
	}
	if l.Document, err = l.file(l.Config.FixLog.Path); err != nil {
		return err
	}
	rows, err := fixlog.ReadRows(l.Document, l.Config.FixLog.Heading)
	if err != nil && !errors.Is(err, fixlog.ErrNoTable) {
		return &UsageError{fmt.Sprintf("%s: %v", l.Config.FixLog.Path, err)}
	}
	return l.Ledger.Adopt(ctx, l.repo, rows)
}

func (l *FixLog) pickStore() (store, error) {
	switch mode := l.Config.FixLog.Mode; mode {
	case "pr", "push":
		return files{l.root, l.Config}, nil
	case "fragments":
		return fragments{files{l.root, l.Config}}, nil
	case "notes":
		cli, ok := l.repo.(*git.CLI)
		if !ok {
			return nil, &UsageError{"fixlog.mode notes needs a git binary (install git, or choose another mode in " + config.FileName + ")"}
		}
		return notes{cli}, nil
	case "off":
		return nil, &logOffError{UsageError{"fixlog.mode is off in " + config.FileName + " (choose pr, push, fragments or notes)"}}
	default:
		return nil, &UsageError{fmt.Sprintf("fixlog.mode %q is not one this gatebot writes", mode)}
	}
}

// logOffError is the mistake of asking for a log that the configuration switches off.
type logOffError struct{ UsageError }

func (e *logOffError) Unwrap() error { return &e.UsageError }

func (l *FixLog) hasDocument() bool { return l.Config.FixLog.Mode != "notes" }

// Close ends what reads the repository.
func (l *FixLog) Close() error {
	l.trees.Keep()
	l.trees.Shelf.Close()
	return l.repo.Close()
}

// Update walks "A..B" (or up to HEAD from where the ledger stands, when rng is empty), and returns what changed. With
// are revisions of other branches whose logs tell which fixes were picked from there; the default branch of origin is
// always asked when it is here. On an error what was read before it is in the ledger, and Save keeps it: the next update
// goes on there.
func (l *FixLog) Update(ctx context.Context, rng string, with []string) (*fixlog.Outcome, error) {
	o, err := l.options(ctx, rng)
	if err != nil {
		return nil, err
	}
	if o.Others, err = l.others(ctx, with); err != nil {
		return nil, err
	}
	total := &fixlog.Outcome{}
	o.Progress = func(done, left int) {
		if left > manyCommits && !l.trees.Many {
			l.trees.Many = true
			if k, ok := l.repo.(interface{ KeepBlobs(bytes int) }); ok {
				k.KeepBlobs(blobBytes)
			}
		}
		if l.Progress != nil {
			l.Progress(total.Commits+done, left)
		}
	}
	for {
		out, err := fixlog.Update(ctx, l.repo, fixlog.ScanFunc(l.scan), l.Ledger, o)
		total.Commits += out.Commits
		total.Changed = append(total.Changed, out.Changed...)
		total.Notes = append(total.Notes, out.Notes...)
		if err != nil || out.More == 0 {
			return total, err
		}
		o.After = "" // the ledger's tip says where to go on
	}
}

func (l *FixLog) options(ctx context.Context, rng string) (fixlog.Options, error) {
	o := fixlog.Options{LogPaths: []string{l.Config.FixLog.Path, LedgerPath}, Shelf: l.trees.Shelf}
	if !l.EveryCommit {
		o.Soon = l.trees.Soon
		o.Look = func(ctx context.Context, c git.Commit, changes []git.Change) (fixlog.Look, error) {
			if l.measured[c.Tree] != nil {
				return fixlog.Look{Sight: fixlog.Exact}, nil
			}
			l.trees.Pace.Wait(ctx)
			return look(ctx, l.repo, l.trees.Shelf, l.Judge, c, changes)
		}
	}
	if rng == "" {
		return o, nil
	}
	a, b, ok := strings.Cut(rng, "..")
	if !ok || a == "" || b == "" || strings.HasPrefix(b, ".") {
		return o, &UsageError{fmt.Sprintf("%q is not a range A..B", rng)}
	}
	for _, rev := range []string{a, b} {
		if _, err := l.repo.Resolve(ctx, rev); err != nil {
			return o, notFound(rev, err)
		}
	}
	o.After, o.Tip = a, b
	return o, nil
}

// others reads the ledgers that other branches carry in their trees.
func (l *FixLog) others(ctx context.Context, with []string) ([]*fixlog.Ledger, error) {
	const defaultBranch = "refs/remotes/origin/HEAD"
	var all []*fixlog.Ledger
	for _, rev := range append([]string{defaultBranch}, with...) {
		id, err := l.repo.Resolve(ctx, rev)
		if errors.Is(err, git.ErrNotFound) && rev == defaultBranch {
			continue
		}
		if err != nil {
			return nil, notFound(rev, err)
		}
		data, err := git.ReadFile(ctx, l.repo, id, LedgerPath)
		if errors.Is(err, git.ErrNotFound) {
			if rev == defaultBranch {
				continue
			}
			return nil, &UsageError{fmt.Sprintf("--with %s: no %s there (is the log kept in its tree?)", rev, LedgerPath)}
		}
		if err != nil {
			return nil, err
		}
		other, err := fixlog.Decode(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("%s:%s: %w", rev, LedgerPath, err)
		}
		all = append(all, other)
	}
	return all, nil
}

// manyCommits are more than a push brings.
const manyCommits = 20

// Verify reads history again and says where the log disagrees with it, and which commits allow no claim. Without a
// range it reads what the log covers: from its first fix to where it was read up to.
func (l *FixLog) Verify(ctx context.Context, rng string) (wrong, unclear []string, err error) {
	o, err := l.options(ctx, rng)
	if err != nil {
		return nil, nil, err
	}
	if rng == "" {
		if l.Ledger.Tip == "" {
			return nil, nil, &UsageError{"the log was never written (run: gatebot fixlog update)"}
		}
		if o.Tip = l.Ledger.Tip; !l.repo.Has(ctx, o.Tip) {
			return []string{fmt.Sprintf("the log was read up to %.7s, which is not here any more", o.Tip)}, nil, nil
		}
		if o.After, err = l.beginning(ctx); err != nil {
			return nil, nil, err
		}
	}
	if wrong, unclear, err = fixlog.Verify(ctx, l.repo, fixlog.ScanFunc(l.scan), l.Ledger, o); err != nil {
		return nil, nil, err
	}
	if l.hasDocument() {
		doc, err := l.Render()
		if err != nil {
			return nil, nil, err
		}
		if !bytes.Equal(doc, l.Document) && l.Config.FixLog.Mode != "fragments" {
			wrong = append(wrong, fmt.Sprintf("%s lacks what the ledger has (run: gatebot fixlog update)", l.Config.FixLog.Path))
		}
	}
	return wrong, unclear, nil
}

// beginning is the commit before the first fix on the line that was read, or the tip when nothing was fixed.
func (l *FixLog) beginning(ctx context.Context) (string, error) {
	line, err := l.repo.Commits(ctx, []string{l.Ledger.Tip}, nil, true)
	if err != nil {
		return "", err
	}
	at := map[string]int{}
	for i, id := range line { // newest first
		at[id] = i
	}
	first := 0
	for _, r := range l.Ledger.Records {
		if i, ok := at[r.Commit]; ok && r.Source == fixlog.SourceStatic && !r.Provisional {
			first = max(first, i+1)
		}
	}
	return line[min(first, len(line)-1)], nil
}

func (l *FixLog) scan(ctx context.Context, rev string) ([]finding.Finding, error) {
	var fs []finding.Finding
	var err error
	if l.Judge != nil {
		fs, err = l.trees.Scan(ctx, rev, l.Judge)
	} else {
		fs, err = scanForLog(ctx, l.trees, rev)
	}
	if err != nil || l.measured == nil {
		return fs, err
	}
	return l.add(ctx, rev, fs)
}

// scanForLog scans a commit with the configuration that it carries; one that cannot be used makes the commit one about
// which no claim is made.
func scanForLog(ctx context.Context, trees *Trees, rev string) ([]finding.Finding, error) {
	cfg, err := TreeConfig(ctx, trees.repo, rev)
	if err != nil {
		var ce *config.Error
		if errors.As(err, &ce) {
			return nil, fmt.Errorf("%w: %w", fixlog.ErrNotAnalysable, err)
		}
		return nil, err
	}
	return trees.Scan(ctx, rev, cfg)
}

// Render is the log as people read it: the document as the ledger wants it, a document of its own in a mode without.
func (l *FixLog) Render() ([]byte, error) {
	return fixlog.Merge(l.Document, l.Ledger, l.Config.FixLog.Heading)
}

// Save writes the log the way its mode says, and tells what was written. Each file is written in one step.
func (l *FixLog) Save(ctx context.Context) (string, error) {
	said, err := l.store.save(ctx, l)
	if err != nil {
		return "", err
	}
	return said, l.local.settle(l.Ledger)
}

func (l *FixLog) file(name string) ([]byte, error) {
	return files{l.root, l.Config}.read(name)
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
