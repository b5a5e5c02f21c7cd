package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	gh "github.com/google/go-github/v60/github"
)

// Setup is how GitHub knows an App. What go-github v60 does not know (merge queues) is read from the answer itself.
type Setup struct {
	Slug        string
	Permissions map[string]string
	Events      []string
	HookURL     string
	Offset      time.Duration // GitHub's clock minus ours; JSON web tokens fail beyond a minute
}

// Permission is one that gatebot uses, and what for.
type Permission struct{ Name, Level, For string }

// Needed are the permissions of an App. Optional ones are for parts that can be left out.
var (
	Needed = []Permission{
		{"checks", "write", "check runs"}, {"contents", "read", "the code"}, {"metadata", "read", "who may write"},
		{"pull_requests", "read", "pull requests"}, {"merge_queues", "read", "the merge queue"},
	}
	Optional = []Permission{
		{"contents", "write", "the fix log"}, {"pull_requests", "write", "the fix log's pull request, answers to commands"},
		{"administration", "read", "whether the check is required, for gatebot doctor"},
	}
	// NeededEvents must be subscribed to; installation events come by themselves.
	NeededEvents = []string{"check_run", "check_suite", "issue_comment", "merge_group", "pull_request", "push"}
)

// Covers reports whether a level that was given is enough for one that is needed.
func Covers(given, need string) bool { return given == need || given == "write" && need == "read" }

// Setup asks GitHub what it knows of the App.
func (a *App) Setup(ctx context.Context) (Setup, error) {
	if a.opts.Token != "" {
		return Setup{}, errors.New("set-up of the App: there is none, a token is used")
	}
	req, err := a.app.NewRequest(http.MethodGet, "app", nil)
	if err != nil {
		return Setup{}, err
	}
	var app struct {
		Slug        string            `json:"slug"`
		Permissions map[string]string `json:"permissions"`
		Events      []string          `json:"events"`
	}
	resp, err := a.app.Do(ctx, req, &app)
	if err != nil {
		return Setup{}, classify("read the App", err)
	}
	s := Setup{Slug: app.Slug, Permissions: app.Permissions, Events: app.Events}
	if t, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		s.Offset = time.Until(t).Round(time.Second)
	}
	hook, _, err := a.app.Apps.GetHookConfig(ctx)
	if err != nil {
		return s, classify("read the App's webhook", err)
	}
	s.HookURL = hook.GetURL()
	return s, nil
}

// Missing lists what the App lacks of some permissions, and the events that it is not sent.
func (s Setup) Missing(want []Permission) (permissions []Permission, events []string) {
	for _, p := range want {
		if !Covers(s.Permissions[p.Name], p.Level) {
			permissions = append(permissions, p)
		}
	}
	for _, e := range NeededEvents {
		if !slices.Contains(s.Events, e) {
			events = append(events, e)
		}
	}
	return permissions, events
}

// Required says whether a check is required on a branch, and whether only this App can satisfy it. Without that pin
// anybody with write access can forge a status of the name.
type Required struct{ Required, Pinned bool }

// RequiredCheck reads the rules of a branch and its classic protection.
func (a *App) RequiredCheck(ctx context.Context, r Repo, branch, name string) (Required, error) {
	c, err := a.installation(r.Installation)
	if err != nil {
		return Required{}, err
	}
	what := fmt.Sprintf("rules of %s %s", r, branch)
	rules, _, err := c.Repositories.GetRulesForBranch(ctx, r.Owner, r.Name, branch)
	if err = classify(what, err); err != nil && !errors.Is(err, ErrGone) {
		return Required{}, err
	}
	var out Required
	for _, rule := range rules {
		if rule.Type != "required_status_checks" || rule.Parameters == nil {
			continue
		}
		var p struct {
			Checks []struct {
				Context string `json:"context"`
				App     *int64 `json:"integration_id"`
			} `json:"required_status_checks"`
		}
		if err := json.Unmarshal(*rule.Parameters, &p); err != nil {
			return out, fmt.Errorf("%s: %w", what, err)
		}
		for _, check := range p.Checks {
			if check.Context == name {
				out.Required, out.Pinned = true, out.Pinned || check.App != nil && *check.App == a.opts.AppID
			}
		}
	}
	protection, _, err := c.Repositories.GetRequiredStatusChecks(ctx, r.Owner, r.Name, branch)
	if errors.Is(err, gh.ErrBranchNotProtected) {
		return out, nil
	}
	switch err = classify(what, err); {
	case errors.Is(err, ErrGone) || err != nil && out.Required: // not protected that way
		return out, nil
	case err != nil:
		return out, err
	}
	if protection.Checks != nil {
		for _, check := range *protection.Checks {
			if check.Context == name {
				out.Required, out.Pinned = true, out.Pinned || check.AppID != nil && *check.AppID == a.opts.AppID
			}
		}
	}
	return out, nil
}
