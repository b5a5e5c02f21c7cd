package webhook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// rerunWindow is the time over which re-runs are counted.
const rerunWindow = time.Hour

// asked are the re-runs that somebody asked for lately, by event: one that comes twice counts once.
type asked struct {
	At map[string]time.Time `json:"at"`
	// Told is when it was last said that it is too many: saying it costs requests too.
	Told time.Time `json:"told,omitzero"`
}

// tooManyError is a re-run that is over a limit. Say is empty when it was said lately.
type tooManyError struct {
	pr  int
	say string
}

func (e *tooManyError) Error() string { return "too many re-runs" }

// mayRerun counts a re-run of a pull request by a person, or refuses it with a *tooManyError. A device that a pull request
// is tried on again and again is one that all others wait for.
func (p *planner) mayRerun(ctx context.Context, repo queue.Repo, pr int, by, event string) error {
	for _, l := range []struct {
		key, what string
		limit     int
	}{
		{fmt.Sprintf("reruns/%d/pull/%d", repo.ID, pr), "of this pull request", p.policy.RerunsPerPull},
		{fmt.Sprintf("reruns/%d/by/%s", repo.ID, strings.ToLower(by)), "by you in this repository", p.policy.RerunsPerUser},
	} {
		if l.limit <= 0 || strings.HasSuffix(l.key, "/0") || by == "" {
			continue // no limit, a commit without a pull request, or nobody: a server of another version
		}
		var refused *tooManyError
		err := change(ctx, &p.store, queue.BucketHeads, l.key, func(a *asked) bool {
			refused = nil
			now := p.now()
			var oldest time.Time
			for id, at := range a.At {
				if now.Sub(at) >= rerunWindow {
					delete(a.At, id)
				} else if oldest.IsZero() || at.Before(oldest) {
					oldest = at
				}
			}
			if _, again := a.At[event]; again {
				return false
			}
			if len(a.At) < l.limit {
				if a.At == nil {
					a.At = map[string]time.Time{}
				}
				a.At[event] = now
				return true
			}
			refused = &tooManyError{pr: pr}
			if now.Sub(a.Told) < rerunWindow/4 {
				return false
			}
			a.Told = now
			refused.say = fmt.Sprintf("there were %d re-runs %s within an hour, which is the limit; the next one is possible in %s", len(a.At), l.what,
				(rerunWindow - now.Sub(oldest)).Round(time.Minute))
			return true
		})
		if err != nil {
			return err
		}
		if refused != nil {
			return refused
		}
	}
	return nil
}

// buttonRefused says to whoever pressed a button that it did nothing. It is not tried again.
func (p *planner) buttonRefused(ctx context.Context, t Trigger, err error) error {
	var much *tooManyError
	if !errors.As(err, &much) {
		return err
	}
	p.audit(ctx, "re-run refused", "by", t.Sender, "repository", t.Repo.Owner+"/"+t.Repo.Name, "pr", much.pr, "head", t.Head, "reason", orElse(much.say, "as before"))
	if much.say == "" || much.pr == 0 {
		return nil
	}
	if err := p.gh.Reply(ctx, ghRepo(t.Repo), much.pr, "@"+t.Sender+": "+much.say+"."); err != nil {
		p.log.WarnContext(ctx, "refusal of a button not said", "pr", much.pr, "error", err)
	}
	return nil
}

// forgetReruns removes counts that are over: a person or pull request that is not heard of again leaves nothing behind.
func (p *planner) forgetReruns(ctx context.Context) error {
	keys, err := p.q.Keys(ctx, queue.BucketHeads)
	if err != nil {
		return err
	}
	for _, key := range slices.DeleteFunc(keys, func(k string) bool { return !strings.HasPrefix(k, "reruns/") }) {
		var a asked
		if _, err := p.read(ctx, queue.BucketHeads, key, &a); err != nil {
			continue // looked at again next time
		}
		over := p.now().Sub(a.Told) > rerunWindow
		for _, at := range a.At {
			over = over && p.now().Sub(at) > rerunWindow
		}
		if over {
			if err := p.q.Delete(ctx, queue.BucketHeads, key); err != nil && !errors.Is(err, queue.ErrNotFound) {
				return err
			}
		}
	}
	return nil
}
