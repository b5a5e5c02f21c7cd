package webhook

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

// commandDone marks a comment whose command was carried out: events come twice, and a redelivery must not repeat it.
type commandDone struct {
	Said string `json:"said"` // what was done or why it was refused
}

func commentKey(repo, comment int64) string { return fmt.Sprintf("comment/%d/%d", repo, comment) }

// usage answers a word that is no command.
const usage = "Commands: `/gatebot ok SHA` (somebody with write access lets a held commit run), `run` (another attempt), " +
	"`retry` (the same after an infrastructure error or a cancellation), `cancel`, `explain GBNNN`."

// refusedError is a command that is not carried out; the person is told why.
type refusedError struct{ why string }

func (e *refusedError) Error() string { return e.why }

func refuse(format string, args ...any) error { return &refusedError{fmt.Sprintf(format, args...)} }

// planCommand carries out one command. Who may give it is read from GitHub at that moment; what the event says of the
// sender is not taken for it. A stranger's command is not even answered: answers cost requests.
func (p *planner) planCommand(ctx context.Context, ev queue.Event, t Trigger) error {
	var done commandDone
	if _, err := p.read(ctx, queue.BucketHeads, commentKey(t.Repo.ID, t.Comment), &done); err == nil {
		p.log.InfoContext(ctx, "command was carried out before", "comment", t.Comment)
		return nil
	} else if ignoreMissing(err) != nil {
		return err
	}
	pr, err := p.gh.Pull(ctx, ghRepo(t.Repo), t.PR)
	if err != nil {
		if errors.Is(err, github.ErrGone) {
			return nil
		}
		return err
	}
	level, writer, err := p.mayWrite(ctx, t.Repo, t.Sender)
	if err != nil {
		return err
	}
	if !writer && t.Sender != pr.Author {
		p.log.InfoContext(ctx, "command of a stranger", "by", t.Sender, "permission", level, "verb", t.Command.Verb)
		return nil
	}
	t.Head, t.Base, t.BaseRef = pr.Head, pr.Base, pr.BaseRef
	t.HeadRef = fmt.Sprintf("refs/pull/%d/head", t.PR)
	// The comment stands for the event: the same comment makes one round however it came to us.
	ev.Delivery = fmt.Sprintf("comment-%d", t.Comment)
	said, err := p.obey(ctx, ev, t, pr, level, writer)
	var no *refusedError
	var much *tooManyError
	if errors.As(err, &much) {
		no = &refusedError{much.say}
	} else if err != nil && !errors.As(err, &no) {
		return err
	}
	reaction := github.ReactionSeen
	if no != nil {
		reaction, said = github.ReactionNo, "refused: "+orElse(no.why, "too many, as was said before")
		if no.why == "" { // a reaction will do
		} else if err := p.gh.Reply(ctx, ghRepo(t.Repo), t.PR, "@"+t.Sender+" `"+commandPrefix+" "+fenced(oneWord(t.Command.Verb))+"`: "+no.why); err != nil {
			p.log.WarnContext(ctx, "refusal of a command not said", "comment", t.Comment, "error", err)
		}
	}
	p.audit(ctx, "command", "by", t.Sender, "permission", level, "repository", t.Repo.Owner+"/"+t.Repo.Name, "pr", t.PR, "head", pr.Head,
		"comment", t.Comment, "verb", t.Command.Verb, "arg", t.Command.Arg, "said", said)
	if err := p.gh.React(ctx, ghRepo(t.Repo), t.Comment, reaction); err != nil { // a courtesy, and perhaps not permitted
		p.log.WarnContext(ctx, "no reaction to a command", "comment", t.Comment, "error", err)
	}
	return change(ctx, &p.store, queue.BucketHeads, commentKey(t.Repo.ID, t.Comment), func(c *commandDone) bool {
		c.Said = said
		return true
	})
}

// obey does what was asked, or refuses.
func (p *planner) obey(ctx context.Context, ev queue.Event, t Trigger, pr github.Pull, level string, writer bool) (string, error) {
	if t.Command.Verb == "explain" {
		return p.explainTo(ctx, t)
	}
	if !pr.Open {
		return "", refuse("the pull request is closed")
	}
	switch t.Command.Verb {
	case "ok":
		if !writer {
			return "", refuse("only somebody with write access can approve a commit")
		}
		sha := strings.ToLower(t.Command.Arg)
		switch {
		case len(sha) < minSHA || strings.Trim(sha, "0123456789abcdef") != "":
			return "", refuse("name the commit that you looked at, at least its first %d digits: `/gatebot ok %.12s`", minSHA, pr.Head)
		case !strings.HasPrefix(pr.Head, sha):
			return "", refuse("`%s` is not the head: that is `%.12s` now. Look at it before you approve it", sha, pr.Head)
		}
		return p.approve(ctx, ev, t, Approval{By: t.Sender, Permission: level, Comment: t.Comment, At: p.now().UTC()})
	case "run", "retry", "cancel":
		if !writer {
			if a, err := p.approval(ctx, t.Repo.ID, t.PR, pr.Head); err != nil {
				return "", err
			} else if a == nil {
				return "", refuse("this commit was not approved by anybody with write access")
			}
			if others, err := p.others(ctx, t.Repo.ID, pr.Head, t.PR); err != nil {
				return "", err
			} else if len(others) > 0 && t.Command.Verb == "cancel" {
				return "", refuse("pull request #%d has the same commit, and its check is the same; somebody with write access can cancel it", others[0])
			}
		}
		return p.rerunOrCancel(ctx, ev, t)
	case "":
		return "", refuse("%s", usage)
	}
	return "", refuse("no such command. %s", usage)
}

// minSHA is how much of a commit id must be named.
const minSHA = 7

// rerunOrCancel starts another round of the head's job, or ends it.
func (p *planner) rerunOrCancel(ctx context.Context, ev queue.Event, t Trigger) (string, error) {
	var c commitJob
	if _, err := p.read(ctx, queue.BucketHeads, commitKey(t.Repo.ID, t.Head), &c); ignoreMissing(err) != nil {
		return "", err
	}
	if t.Command.Verb == "cancel" {
		if c.Key == "" {
			return "", refuse("nothing runs for `%.12s`", t.Head)
		}
		return "cancelled", p.finish(ctx, c.Key, withdrawn("by "+t.Sender))
	}
	if c.Key == "" {
		t.Kind = KindCheck
		return "planned", p.planPull(ctx, ev, t)
	}
	r, _, err := p.load(ctx, c.Key)
	if ignoreMissing(err) != nil {
		return "", err
	}
	if err == nil && t.Command.Verb == "retry" && r.Verdict() && r.Delivery != ev.Delivery {
		return "", refuse("the last attempt reached a verdict; `/gatebot run` makes another one")
	}
	t.Kind, t.ExternalID = KindRerun, ""
	return "another attempt", p.planRerun(ctx, ev, t)
}

// explainTo answers with the text of a rule.
func (p *planner) explainTo(ctx context.Context, t Trigger) (string, error) {
	if p.explain == nil {
		return "", refuse("this server cannot explain rules; `gatebot rules %s` can", oneWord(t.Command.Arg))
	}
	text, ok := p.explain(strings.ToUpper(t.Command.Arg))
	if !ok {
		return "", refuse("no such rule (they are called GB101 and the like)")
	}
	return "explained", p.gh.Reply(ctx, ghRepo(t.Repo), t.PR, text)
}
