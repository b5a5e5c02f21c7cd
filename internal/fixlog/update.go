package fixlog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/pyast"
)

// DefaultCap is how many commits one update looks at.
const DefaultCap = 200

// Options say which commits an update looks at and what it knows about them.
type Options struct {
	Tip   string // revision; empty means HEAD
	After string // excluded with its ancestors; empty means the ledger's tip
	Cap   int    // 0 means DefaultCap
	// LogPaths are the files of the log itself: a commit that touches nothing else is no entry.
	LogPaths []string
	// ConfigPath is the gate configuration; empty means .gatebot.yaml.
	ConfigPath string
	// PR tells the number of the pull request that a commit came with; nil means that its subject is asked.
	PR func(git.Commit) int
	// Originals lists the commits of the pull request that a commit on the branch came from, newest first; nil asks
	// refs/pull/<number>/head, where a clone has it.
	Originals func(git.Commit) []string
	// Others are the logs of other branches: a cherry-pick of a fix in one of them is its alias here.
	Others []*Ledger
	// Open makes the records provisional: the commits have not landed yet.
	Open bool
	// Look is a cheap look at what a commit changed. Commits in which nothing went, as far as these files show, are
	// compared as one, and one by one only when something went or came back between their ends. Nil means that each commit
	// is compared with its parent. What one quiet commit made visible in a file that it does not touch and a later one of
	// the same run took out is not seen, nor the fix of a finding that came in the same run, where its line stands and only
	// the origin of its value, in another file, went.
	Look Looker
	// Soon is told of a commit whose tree will probably be scanned, some time before it is, from several goroutines; it may be
	// nil.
	Soon func(ctx context.Context, rev string)
	// Shelf has trees of files that others have parsed; it may be nil.
	Shelf *pyast.Shelf
	// Progress is told how many commits are done and how many are left; it may be nil.
	Progress func(done, left int)
}

// Outcome is what an update did besides changing the ledger.
type Outcome struct {
	Commits int      // looked at
	Changed []Record // added or changed, as they are now, for Ledger.Append
	Notes   []string // commits about which no claim is made, and why
	More    int      // commits left for the next call, which goes on where this one stopped

	visited []string
}

// Update walks the first-parent line up to Tip, oldest first, and extends the ledger. With an After, or a ledger that
// has a tip, it reads the oldest Cap commits of what is new (call it again while More is not zero); a first run reads
// the newest Cap and notes that older ones were left out. On an error the ledger holds what was done so far and
// its Tip says how far that is: calling again goes on there.
func Update(ctx context.Context, repo git.Repository, s Scanner, l *Ledger, o Options) (*Outcome, error) {
	u := &update{ctx: ctx, repo: repo, ledger: l, opts: o, seen: newScanned(repo, s), out: &Outcome{}}
	if u.opts.Tip == "" {
		u.opts.Tip = "HEAD"
	}
	if u.opts.Cap == 0 {
		u.opts.Cap = DefaultCap
	}
	if u.opts.ConfigPath == "" {
		u.opts.ConfigPath = ".gatebot.yaml"
	}
	if u.opts.PR == nil {
		u.opts.PR = func(c git.Commit) int { return pullRequest(c.Subject) }
	}
	commits, err := u.commits()
	if err != nil {
		return u.out, fmt.Errorf("fix log: %w", err)
	}
	if err := u.walk(commits); err != nil {
		u.out.More = len(commits) - u.out.Commits
		return u.finish(), fmt.Errorf("fix log: %w", err)
	}
	if err := u.orphans(); err != nil {
		return u.finish(), fmt.Errorf("fix log: %w", err)
	}
	return u.finish(), nil
}

type update struct {
	ctx     context.Context
	repo    git.Repository
	ledger  *Ledger
	opts    Options
	seen    *scanned
	out     *Outcome
	tip     string
	changed []string
	rewrote bool     // the branch was pushed by force since the last update
	early   *early   // of the commit that is compared now; nil for most
	line    []string // what is new on it since then, also what the cap leaves for later
}

// commits lists what to look at, oldest first.
func (u *update) commits() ([]string, error) {
	tip, err := u.repo.Resolve(u.ctx, u.opts.Tip)
	if err != nil {
		return nil, err
	}
	u.tip = tip
	after := u.opts.After
	if after == "" && u.ledger.Tip != "" {
		switch here, err := u.onOneLine(u.ledger.Tip, tip); {
		case err != nil:
			return nil, err
		case !u.repo.Has(u.ctx, u.ledger.Tip):
			u.rewrote = true
			u.note("the log was read up to %.7s, which is not here any more (was the branch rewritten?)", u.ledger.Tip)
		default:
			u.rewrote, after = !here, u.ledger.Tip
		}
	}
	var exclude []string
	if after != "" {
		exclude = []string{after}
	}
	ids, err := u.repo.Commits(u.ctx, []string{tip}, exclude, true)
	if err != nil {
		return nil, err
	}
	u.line = ids
	left := len(ids) - u.opts.Cap
	if left > 0 && after == "" {
		ids = ids[:u.opts.Cap]
		u.note("the log begins at %.7s: the %d commits before it were not looked at", ids[len(ids)-1], left)
	} else if left > 0 {
		ids = ids[left:]
		u.out.More = left
	}
	slices.Reverse(ids)
	return ids, nil
}

func (u *update) note(format string, args ...any) {
	u.out.Notes = append(u.out.Notes, fmt.Sprintf(format, args...))
}

// commit compares one commit with its first parent.
func (u *update) commit(id string) error {
	c, err := u.repo.Commit(u.ctx, id)
	if err != nil {
		return err
	}
	if len(c.Parents) == 0 {
		return nil // nothing was there before that could be fixed
	}
	parent, err := u.repo.Commit(u.ctx, c.Parents[0])
	if errors.Is(err, git.ErrNotFound) {
		u.note("%.7s: its parent is not in this clone: no claim", id)
		return nil
	}
	if err != nil {
		return err
	}
	changes, err := u.repo.Diff(u.ctx, parent.Tree, c.Tree, true)
	if err != nil {
		return fmt.Errorf("%.7s: %w", id, err)
	}
	ch, onlyLog, inert := summarize(changes, u.opts.ConfigPath, u.opts.LogPaths)
	if onlyLog || inert {
		// What a scan would say is what it says of the parent; no need to ask twice.
		if fs, ok := u.seen.byTree[parent.Tree]; ok {
			u.seen.keep(c.Tree, fs)
		}
		return nil
	}
	before, after, err := u.both(parent, c)
	if errors.Is(err, ErrNotAnalysable) {
		u.note("%.7s: %v: no claim", id, err)
		return nil
	}
	if err != nil {
		return err
	}
	u.follow(ch.renamed)
	if err := u.regressions(c, appeared(before, after)); err != nil {
		return err
	}
	gone, removed, fresh := disappeared(before, after, ch)
	j, err := u.judge(c, changes, gone, fresh)
	if errors.Is(err, git.ErrNotFound) || errors.Is(err, git.ErrTooLarge) {
		u.note("%.7s: %v: no claim", id, err) // a partial clone
		return nil
	}
	if err != nil {
		return fmt.Errorf("%.7s: %w", id, err)
	}
	if u.opts.Open {
		return u.add(c, j.fixed, Open, ch.renamed, nil) // what is removed, or perhaps so, is no promise of a fix
	}
	if err := u.add(c, j.fixed, Fixed, ch.renamed, nil); err != nil {
		return err
	}
	return u.add(c, append(removed, j.doubtful...), Removed, ch.renamed, j.why)
}

// onOneLine reports whether one commit is an ancestor of the other.
func (u *update) onOneLine(a, b string) (bool, error) {
	if !u.repo.Has(u.ctx, a) {
		return false, nil
	}
	base, err := u.repo.MergeBase(u.ctx, a, b)
	if errors.Is(err, git.ErrNotFound) {
		return false, nil
	}
	return base == a || base == b, err
}

func (u *update) both(parent, c git.Commit) (before, after []finding.Finding, err error) {
	if before, err = u.seen.findings(u.ctx, parent); err != nil {
		return nil, nil, err
	}
	after, err = u.seen.findings(u.ctx, c)
	return before, after, err
}

// finish copies what changed.
func (u *update) finish() *Outcome {
	for _, id := range u.changed {
		u.out.Changed = append(u.out.Changed, *u.ledger.find(id))
	}
	return u.out
}

func (u *update) touch(id string) {
	if !slices.Contains(u.changed, id) {
		u.changed = append(u.changed, id)
	}
}
