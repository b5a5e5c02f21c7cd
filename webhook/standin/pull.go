package standin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Pull is a pull request. Values handed out are copies.
type Pull struct {
	ID       int64
	Number   int
	Title    string
	Body     string
	State    string // open or closed
	Draft    bool
	User     string
	HeadRepo string // full name; differs from the base repository's for forks
	HeadRef  string
	HeadSHA  string
	BaseRef  string
	BaseSHA  string
	Merged   bool
	MergeSHA string
	Created  time.Time
	Updated  time.Time
	Closed   time.Time

	from *Repository
}

// NewPull is what OpenPull needs. From is the fork the head branch lives in, nil for the repository itself.
type NewPull struct {
	Title, Body, Head, Base string
	Draft                   bool
	From                    *Repository
}

// OpenPull opens a pull request and sends its event.
func (r *Repository) OpenPull(ctx context.Context, by *User, n NewPull) (Pull, error) {
	if n.From == nil {
		n.From = r
	}
	if n.Base == "" {
		n.Base = r.branch
	}
	r.s.mu.Lock()
	head, base := n.From.refs["refs/heads/"+n.Head], r.refs["refs/heads/"+n.Base]
	switch {
	case head == "":
		r.s.mu.Unlock()
		return Pull{}, invalid("PullRequest", "head", "invalid")
	case base == "":
		r.s.mu.Unlock()
		return Pull{}, invalid("PullRequest", "base", "invalid")
	}
	for _, p := range r.pulls {
		if p.State == "open" && p.from == n.From && p.HeadRef == n.Head && p.BaseRef == n.Base {
			r.s.mu.Unlock()
			return Pull{}, custom("PullRequest", fmt.Sprintf("A pull request already exists for %s:%s.", n.From.owner, n.Head))
		}
	}
	now := time.Now()
	p := &Pull{
		ID: r.s.newID(), Number: r.nextPR, Title: n.Title, Body: n.Body, State: "open", Draft: n.Draft, User: by.Login,
		HeadRepo: n.From.FullName(), HeadRef: n.Head, HeadSHA: head, BaseRef: n.Base, BaseSHA: base,
		Created: now, Updated: now, from: n.From,
	}
	r.nextPR++
	r.pulls = append(r.pulls, p)
	out := *p
	r.s.mu.Unlock()
	if err := r.publishHead(ctx, out); err != nil {
		return out, err
	}
	return out, r.emitPull(ctx, by, out, "opened", nil)
}

// publishHead brings the head commit into the base repository as refs/pull/N/head, late when commits become visible
// late.
func (r *Repository) publishHead(ctx context.Context, p Pull) error {
	ref := fmt.Sprintf("refs/pull/%d/head", p.Number)
	publish := func(ctx context.Context) error {
		var err error
		if p.from == r {
			_, err = r.s.git.run(ctx, r.Dir(), nil, "update-ref", ref, p.HeadSHA)
		} else {
			_, err = r.s.git.run(ctx, r.Dir(), nil, "fetch", "-q", p.from.Dir(), "+"+p.HeadSHA+":"+ref)
		}
		return err
	}
	if d := r.s.opt.VisibleAfter; d > 0 {
		ctx := context.WithoutCancel(ctx)
		time.AfterFunc(d, func() {
			// The repository may be gone with its test by now; then nobody is left to see the ref.
			_ = publish(ctx)
		})
		return nil
	}
	return publish(ctx)
}

// movePulls follows a push to branch: heads of open pull requests move, merged ones close.
func (r *Repository) movePulls(ctx context.Context, by *User, branch, before, after string) error {
	type moved struct {
		repo *Repository
		pull Pull
	}
	var heads []moved
	var based []*Pull
	r.s.mu.Lock()
	for _, repo := range r.s.repos {
		for _, p := range repo.pulls {
			if p.State != "open" {
				continue
			}
			if p.from == r && p.HeadRef == branch && after != "" {
				p.HeadSHA, p.Updated = after, time.Now()
				p.BaseSHA = repo.refs["refs/heads/"+p.BaseRef]
				heads = append(heads, moved{repo, *p})
			}
			if repo == r && p.BaseRef == branch && after != "" {
				based = append(based, p)
			}
		}
	}
	r.s.mu.Unlock()
	for _, m := range heads {
		if err := m.repo.publishHead(ctx, m.pull); err != nil {
			return err
		}
		if err := m.repo.emitPull(ctx, by, m.pull, "synchronize", object{"before": before, "after": after}); err != nil {
			return err
		}
	}
	for _, p := range based {
		if _, err := r.s.git.run(ctx, r.Dir(), nil, "merge-base", "--is-ancestor", p.HeadSHA, after); err != nil {
			continue // not contained, or not even fetched yet: not merged
		}
		if err := r.close(ctx, by, p, after); err != nil {
			return err
		}
	}
	return nil
}

// close closes p, as merged when there is a merge commit.
func (r *Repository) close(ctx context.Context, by *User, p *Pull, merge string) error {
	r.s.mu.Lock()
	if p.State != "open" {
		r.s.mu.Unlock()
		return nil
	}
	p.State, p.Merged, p.MergeSHA = "closed", merge != "", merge
	p.Closed, p.Updated = time.Now(), time.Now()
	out := *p
	r.s.mu.Unlock()
	return r.emitPull(ctx, by, out, "closed", nil)
}

// ClosePull closes a pull request without merging it, as its page does.
func (r *Repository) ClosePull(ctx context.Context, by *User, number int) error {
	r.s.mu.Lock()
	p := r.pull(number)
	r.s.mu.Unlock()
	if p == nil {
		return fmt.Errorf("no pull request %d", number)
	}
	return r.close(ctx, by, p, "")
}

// Pulls lists the pull requests, oldest first.
func (r *Repository) Pulls() []Pull {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	out := make([]Pull, 0, len(r.pulls))
	for _, p := range r.pulls {
		out = append(out, *p)
	}
	return out
}

// pull finds a pull request. The caller holds mu.
func (r *Repository) pull(number int) *Pull {
	i := slices.IndexFunc(r.pulls, func(p *Pull) bool { return p.Number == number })
	if i < 0 {
		return nil
	}
	return r.pulls[i]
}

// label is owner:branch of the head, as the API spells it.
func (p *Pull) label() string {
	owner, _, _ := strings.Cut(p.HeadRepo, "/")
	return owner + ":" + p.HeadRef
}
