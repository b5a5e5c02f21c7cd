package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/fixlog"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/board"
	"github.com/gatebot/gatebot/webhook/board/signin"
)

// repoPages is what the pages show of a repository and not of a job. What was read stays until it has changed.
type repoPages struct {
	mu      sync.Mutex
	ledgers map[int64]ledgerAt
	gated   map[string]gatedSince // by mirror and commit
}

type ledgerAt struct {
	revision uint64
	ledger   *fixlog.Ledger
}

type gatedSince struct {
	commit string
	when   time.Time
}

// maxGated bounds what is remembered of it; the key changes with every commit.
const maxGated = 1000

// Ledger implements board.Source: the same ledger that the fix log keeps.
func (o *overview) Ledger(ctx context.Context, repo signin.Repo) (*fixlog.Ledger, error) {
	rec, err := o.s.planner.q.Get(ctx, queue.BucketFixLog, ledgerKey(repo.ID))
	if errors.Is(err, queue.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	o.repos.mu.Lock()
	defer o.repos.mu.Unlock()
	if have, ok := o.repos.ledgers[repo.ID]; ok && have.revision == rec.Revision {
		return have.ledger, nil
	}
	ledger, err := fixlog.Decode(bytes.NewReader(rec.Value))
	if err != nil {
		return nil, err
	}
	if o.repos.ledgers == nil {
		o.repos.ledgers = map[int64]ledgerAt{}
	}
	o.repos.ledgers[repo.ID] = ledgerAt{rec.Revision, ledger}
	return ledger, nil
}

// Setup implements board.Source: what the newest check of a branch was judged by.
func (o *overview) Setup(ctx context.Context, repo signin.Repo) (board.Setup, error) {
	jobs, err := o.Jobs(ctx)
	if err != nil {
		return board.Setup{}, err
	}
	for _, j := range jobs {
		if j.Repo.ID != repo.ID || !j.Mainline || !j.HasResults {
			continue
		}
		r, _, err := o.s.planner.load(ctx, j.Key)
		if errors.Is(err, queue.ErrNotFound) || err == nil && r.Job == nil {
			continue
		}
		if err != nil {
			return board.Setup{}, err
		}
		out := board.Setup{Config: config.Default()}
		if r.Job.Config != nil {
			if out.Config, err = o.s.planner.parse(config.FileName, r.Job.Config); err != nil {
				out.Config = nil // the check said so; the page does without
			}
		}
		out.GatedBy, out.GatedSince = o.gated(ctx, r)
		return out, nil
	}
	return board.Setup{}, nil
}

// gated is the commit that brought the gate configuration, as far as the mirror knows. It is one line of a page: what goes
// wrong leaves it out, and is logged.
func (o *overview) gated(ctx context.Context, r *Record) (string, time.Time) {
	m, ok := o.s.opts.Mirrors.(interface{ Path(queue.Repo) string })
	if !ok {
		return "", time.Time{}
	}
	dir := m.Path(r.Repo)
	key := dir + "\x00" + r.Head
	o.repos.mu.Lock()
	known, there := o.repos.gated[key]
	o.repos.mu.Unlock()
	if there {
		return known.commit, known.when
	}
	found, err := added(ctx, dir, r.Head)
	if err != nil {
		o.s.opts.Log.WarnContext(ctx, "page: since when the gate is there", "repo", r.Repo.Owner+"/"+r.Repo.Name, "error", err)
		return "", time.Time{}
	}
	o.repos.mu.Lock()
	defer o.repos.mu.Unlock()
	if o.repos.gated == nil || len(o.repos.gated) >= maxGated {
		o.repos.gated = map[string]gatedSince{}
	}
	o.repos.gated[key] = found
	return found.commit, found.when
}

func added(ctx context.Context, dir, head string) (_ gatedSince, err error) {
	repo, err := git.OpenCLI(ctx, dir)
	if err != nil {
		return gatedSince{}, err
	}
	defer func() { err = errors.Join(err, repo.Close()) }()
	id, err := repo.Added(ctx, head, config.FileName)
	if errors.Is(err, git.ErrNotFound) {
		return gatedSince{}, nil
	}
	if err != nil {
		return gatedSince{}, err
	}
	c, err := repo.Commit(ctx, id)
	if err != nil {
		return gatedSince{}, fmt.Errorf("commit %.12s: %w", id, err)
	}
	return gatedSince{id, c.When}, nil
}
