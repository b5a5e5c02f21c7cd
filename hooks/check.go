package hooks

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
)

// refusal is one commit with the hazards that it would bring to the remote.
type refusal struct {
	commit   git.Commit
	refs     []string
	base     string // a commit to compare with, empty when there is none
	findings []finding.Finding
}

// check looks at the tips, or at every commit, and gives what must not be pushed.
func (p *push) check(ctx context.Context, news *pushed) ([]refusal, error) {
	var out []refusal
	c := &checker{push: p, cache: openCache(p.repo, p.opts.Rules, p.opts.Config)}
	for _, t := range news.tips {
		if !news.fresh[t.commit] {
			continue // the remote has it: a tag, a branch point, a step back
		}
		bases, err := news.bases(ctx, t)
		if err != nil {
			return nil, err
		}
		commits := []string{t.commit}
		if p.opts.EachCommit {
			if commits, err = c.commits(ctx, news, t, bases); err != nil {
				return nil, err
			}
		}
		for _, id := range commits {
			r, err := c.commit(ctx, id, bases)
			if err != nil {
				return nil, err
			}
			if len(r.findings) > 0 {
				r.refs = t.refs
				out = append(out, r)
			}
		}
	}
	return out, nil
}

// checker remembers what was asked of the scanner during one push.
type checker struct {
	*push
	cache *cache
	seen  map[string]bool // commits that were checked for an earlier ref
	told  map[string]bool // fingerprints that are refused already
}

// commits are the fresh commits of a tip, oldest first, each once for the whole push.
func (c *checker) commits(ctx context.Context, news *pushed, t tip, bases []string) ([]string, error) {
	reach, err := c.repo.Commits(ctx, []string{t.commit}, bases, false)
	if err != nil {
		return nil, fmt.Errorf("commits of %.7s: %w", t.commit, err)
	}
	in := map[string]bool{}
	for _, id := range reach {
		in[id] = news.fresh[id]
	}
	return slices.DeleteFunc(slices.Clone(news.order), func(id string) bool { return !in[id] }), nil
}

// commit gives the findings of a commit that gate and that no base has.
func (c *checker) commit(ctx context.Context, id string, bases []string) (refusal, error) {
	if c.seen[id] {
		return refusal{}, nil
	}
	if c.seen == nil {
		c.seen, c.told = map[string]bool{}, map[string]bool{}
	}
	c.seen[id] = true
	commit, err := c.repo.Commit(ctx, id)
	if err != nil {
		return refusal{}, err
	}
	r := refusal{commit: commit}
	if len(bases) > 0 {
		r.base = bases[0]
		if !c.opts.All && !c.remembers(ctx, commit, bases) {
			same, err := c.inert(ctx, bases[0], commit.Tree)
			if err != nil || same {
				return r, err
			}
		}
	}
	found, err := c.scan(ctx, commit)
	if err != nil {
		return r, fmt.Errorf("commit %.7s: %w", id, err)
	}
	bad := map[string]bool{}
	for fp, isError := range found.index.Gating {
		if (isError || c.opts.FailOn == finding.Warn) && !c.told[fp] {
			bad[fp] = true
		}
	}
	if !c.opts.All {
		if err := c.subtract(ctx, bad, bases); err != nil {
			return r, err
		}
	}
	if len(bad) == 0 {
		return r, nil
	}
	if r.findings, err = c.pick(ctx, commit, found, bad); err != nil {
		return r, fmt.Errorf("commit %.7s: %w", id, err)
	}
	for fp := range bad {
		c.told[fp] = true
	}
	return r, nil
}

// subtract drops what the bases have. They are scanned only now, when there is something to drop. A base with a
// configuration that cannot be used is no reason to refuse the commit that mends it: then everything counts as new.
func (c *checker) subtract(ctx context.Context, bad map[string]bool, bases []string) error {
	for _, base := range bases {
		if len(bad) == 0 {
			return nil
		}
		commit, err := c.repo.Commit(ctx, base)
		if err != nil {
			return err
		}
		old, err := c.scan(ctx, commit)
		var conf *config.Error
		if errors.As(err, &conf) {
			continue
		}
		if err != nil {
			return fmt.Errorf("base %.7s: %w", base, err)
		}
		for _, fp := range old.index.All {
			delete(bad, fp)
		}
	}
	return nil
}

// scan looks at a commit's tree, or remembers.
func (c *checker) scan(ctx context.Context, commit git.Commit) (*scanned, error) {
	if s, ok := c.cache.get(commit.Tree); ok {
		return s, nil
	}
	fs, err := c.opts.Scanner.ScanTree(ctx, c.repo, commit.ID)
	if err != nil {
		return nil, err
	}
	return c.cache.put(commit.Tree, fs), nil
}

// pick gives the findings to show. Where the cache has their names and lost the rest, the tree is scanned again.
func (c *checker) pick(ctx context.Context, commit git.Commit, found *scanned, bad map[string]bool) ([]finding.Finding, error) {
	all, err := found.full()
	if err != nil {
		c.cache.forget(commit.Tree)
		if found, err = c.scan(ctx, commit); err != nil {
			return nil, err
		}
		all = found.findings
	}
	c.cache.keep(commit.Tree, found)
	var out []finding.Finding
	for _, f := range all {
		if bad[f.Fingerprint] {
			out = append(out, f)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("findings do not agree with their index (remove the directory gatebot/cache in the git directory)")
	}
	return out, nil
}

// remembers reports whether nothing has to be scanned, so that it does not matter what a scan would look at.
func (c *checker) remembers(ctx context.Context, tip git.Commit, bases []string) bool {
	if _, ok := c.cache.get(tip.Tree); !ok {
		return false
	}
	return !slices.ContainsFunc(bases, func(id string) bool {
		base, err := c.repo.Commit(ctx, id)
		if err != nil {
			return true
		}
		_, ok := c.cache.get(base.Tree)
		return !ok
	})
}

// inert reports whether the trees differ in nothing that a scan looks at. The diff is a few milliseconds, whatever
// the size of the repository; a scan is not.
func (c *checker) inert(ctx context.Context, base, tree string) (bool, error) {
	changes, err := c.repo.Diff(ctx, base, tree, false)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(changes, func(x git.Change) bool {
		return x.Path == config.FileName || config.IsSource(x.Path)
	}), nil
}
