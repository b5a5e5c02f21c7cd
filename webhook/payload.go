package webhook

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/gatebot/gatebot/internal/queue"
)

// What every event has. Only the fields that are used are declared, so that GitHub may change the others.
type common struct {
	Action     string `json:"action"`
	Repository struct {
		ID    int64  `json:"id"`
		Name  string `json:"name"`
		Owner struct {
			Login string `json:"login"`
			Name  string `json:"name"` // push events of old
		} `json:"owner"`
		CloneURL      string `json:"clone_url"`
		DefaultBranch string `json:"default_branch"`
	} `json:"repository"`
	Installation struct {
		ID int64 `json:"id"`
	} `json:"installation"`
	Sender struct {
		Login string `json:"login"`
	} `json:"sender"`
}

// trigger starts a Trigger with what is common.
func (c *common) trigger(kind Kind) Trigger {
	owner := c.Repository.Owner.Login
	if owner == "" {
		owner = c.Repository.Owner.Name
	}
	return Trigger{
		Kind: kind, Action: c.Action, Sender: c.Sender.Login,
		Repo: queue.Repo{
			ID: c.Repository.ID, Owner: owner, Name: c.Repository.Name, Installation: c.Installation.ID,
			CloneURL: c.Repository.CloneURL, Default: c.Repository.DefaultBranch,
		},
	}
}

// check refuses a trigger that lacks what acting on it needs, or whose names could mean something else in a URL or on a
// command line.
func (t *Trigger) check(asApp bool) error {
	r := t.Repo
	if t.Kind == KindSweep {
		return nil // names an installation only, and that was looked at
	}
	switch {
	case r.ID <= 0:
		return errors.New("repository.id is missing")
	case !plainName(r.Owner), !plainName(r.Name):
		return fmt.Errorf("repository %q/%q is not a repository's name", r.Owner, r.Name)
	case asApp && r.Installation <= 0:
		return errors.New("installation.id is missing (the webhook must be the App's, not the repository's)")
	}
	if u, err := url.Parse(r.CloneURL); err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return fmt.Errorf("repository.clone_url %q is not an http(s) URL", r.CloneURL)
	}
	if t.Kind != KindCancel && t.Kind != KindCommand && !isID(t.Head) {
		return fmt.Errorf("head commit %q is not a full object id", t.Head)
	}
	if t.Base != "" && !isID(t.Base) {
		return fmt.Errorf("base commit %q is not a full object id", t.Base)
	}
	for _, ref := range []string{t.HeadRef, t.BaseRef, r.Default} {
		if ref != "" && !plainRef(ref) {
			return fmt.Errorf("%q is not a ref name", ref)
		}
	}
	return nil
}

// isID reports whether s is a full object id of either hash, and not the all-zero one.
func isID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == "" && strings.Trim(s, "0") != ""
}

// plainName is GitHub's alphabet for owners and repositories.
func plainName(s string) bool {
	const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	return s != "" && s != "." && s != ".." && len(s) <= 100 && strings.Trim(s, alphabet) == ""
}

// plainRef follows git check-ref-format as far as safety needs it.
func plainRef(s string) bool {
	if s == "" || len(s) > 1024 || s[0] == '-' || s[0] == '/' || strings.Contains(s, "..") || strings.Contains(s, "@{") ||
		strings.Contains(s, "//") || strings.HasSuffix(s, "/") || strings.HasSuffix(s, ".lock") {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`~^:?*[\`, r) })
}
