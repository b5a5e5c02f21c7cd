package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gatebot/gatebot/internal/doctor"
	"github.com/gatebot/gatebot/webhook"
	"github.com/gatebot/gatebot/webhook/github"
)

// server loads the server's configuration and its connection to GitHub. What is wrong with them is the server check's
// business; these need it.
func (o *doctorOptions) server() (*webhook.Config, *github.App, *doctor.Outcome) {
	if o.serve == "" {
		out := doctor.None("name the server's configuration with --serve FILE")
		return nil, nil, &out
	}
	c, err := webhook.LoadConfig(o.serve)
	if err != nil {
		out := doctor.Failed("see gatebot serve --help", "%v", err)
		return nil, nil, &out
	}
	app, err := c.Adapter()
	if err != nil {
		out := doctor.Failed("see the server check", "%v", err)
		return nil, nil, &out
	}
	return c, app, nil
}

// maxOffset is when GitHub begins to refuse an App's tokens for their time.
const maxOffset = 30 * time.Second

func (o *doctorOptions) checkApp(ctx context.Context) doctor.Outcome {
	c, app, out := o.server()
	if out != nil {
		return *out
	}
	if c.GitHub.TokenFile != "" {
		login, err := app.Login(ctx)
		if err != nil {
			return doctor.Broken("is the token valid, and is GitHub reachable?", "%v", err)
		}
		return doctor.Good("the token is %s's", login)
	}
	s, err := app.Setup(ctx)
	if err != nil {
		return doctor.Broken("is the key the App's, is the clock right, and is GitHub reachable?", "%v", err)
	}
	missing, events := s.Missing(github.Needed)
	var lacks []string
	for _, p := range missing {
		lacks = append(lacks, fmt.Sprintf("permission %s: %s (%s)", p.Name, p.Level, p.For))
	}
	for _, e := range events {
		lacks = append(lacks, "event "+e)
	}
	if c.GitHub.Poll > 0 {
		lacks = lacks[:len(missing)] // nobody sends events to a server that polls
	}
	if len(lacks) > 0 {
		f := doctor.Failed("set them on the App's settings page, then accept them in each installation", "App %s lacks %d things", s.Slug, len(lacks))
		f.More = lacks
		return f
	}
	if s.Offset > maxOffset || s.Offset < -maxOffset {
		return doctor.Failed("start NTP", "the clock here is %s off GitHub's: its tokens are refused", s.Offset)
	}
	want := strings.TrimSuffix(c.Listen.PublicURL, "/") + "/webhook"
	if c.GitHub.Poll == 0 && c.Listen.PublicURL != "" && s.HookURL != want {
		return doctor.Warned("set it on the App's settings page", "the App sends webhooks to %q, the server is at %s", s.HookURL, want)
	}
	good := doctor.Good("App %s: permissions and events are there, clock %s off", s.Slug, s.Offset)
	optional, _ := s.Missing(github.Optional)
	for _, p := range optional {
		good.More = append(good.More, fmt.Sprintf("without permission %s: %s there is no %s", p.Name, p.Level, p.For))
	}
	return good
}

func (o *doctorOptions) checkDeliveries(ctx context.Context) doctor.Outcome {
	c, app, out := o.server()
	switch {
	case out != nil:
		return *out
	case c.GitHub.Poll > 0 || c.GitHub.TokenFile != "":
		return doctor.None("no webhooks of an App")
	}
	ds, err := app.Deliveries(ctx, time.Now().Add(-24*time.Hour))
	if err != nil {
		return doctor.Broken("is GitHub reachable?", "%v", err)
	}
	bad := map[string]int{}
	good := map[string]bool{}
	for _, d := range ds {
		if d.Status >= 200 && d.Status < 300 {
			good[d.GUID] = true
		} else if !good[d.GUID] { // newest first: a later attempt has brought it
			bad[fmt.Sprintf("%s answered %d", d.Event, d.Status)]++
		}
	}
	if len(ds) == 0 {
		return doctor.Warned("push something, or see the App's Advanced page", "no webhook was sent within a day")
	}
	if len(bad) > 0 {
		w := doctor.Warned("the server asks for them again by itself; if they go on, is its address right?", "webhooks did not arrive")
		for what, n := range bad {
			w.More = append(w.More, fmt.Sprintf("%d of %s", n, what))
		}
		return w
	}
	return doctor.Good("%d webhooks within a day, all of them arrived", len(ds))
}

func (o *doctorOptions) checkRequired(ctx context.Context) doctor.Outcome {
	c, app, out := o.server()
	if out != nil {
		return *out
	}
	repos, err := app.Repositories(ctx)
	if err != nil {
		return doctor.Broken("is GitHub reachable?", "%v", err)
	}
	if len(repos) == 0 {
		return doctor.Failed("install it from the App's page", "the App is installed nowhere")
	}
	var lines []string
	for _, r := range repos {
		got, err := app.RequiredCheck(ctx, r.Repo, r.Default, c.Check.Name)
		switch {
		case err != nil:
			lines = append(lines, fmt.Sprintf("%s: not known: %v", r.Repo, err))
		case !got.Required:
			lines = append(lines, fmt.Sprintf("%s: %q is not required on %s: nothing is held back", r.Repo, c.Check.Name, r.Default))
		case !got.Pinned:
			lines = append(lines, fmt.Sprintf("%s: %q is required on %s, from any source: anybody with write access can forge it", r.Repo, c.Check.Name, r.Default))
		}
	}
	if len(lines) > 0 {
		w := doctor.Warned("in the branch's rule set require the check and choose the App as its source (it must have completed once within a week)",
			"%d of %d repositories are not held by the check", len(lines), len(repos))
		w.More = lines
		return w
	}
	return doctor.Good("%q is required and pinned in %d repositories", c.Check.Name, len(repos))
}

func (o *doctorOptions) checkLive(ctx context.Context) doctor.Outcome {
	c, _, out := o.server()
	if out != nil {
		return *out
	}
	address := c.Listen.HTTP
	if c.Listen.Admin != "" {
		address = c.Listen.Admin
	}
	if strings.HasPrefix(address, ":") || strings.HasPrefix(address, "0.0.0.0:") {
		address = "127.0.0.1:" + address[strings.LastIndexByte(address, ':')+1:]
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", nil)
	if err != nil {
		return doctor.Failed("mend listen.http", "%v", err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return doctor.Failed("start gatebot serve, or ask on its machine", "%v", err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return doctor.Failed("see the server's log", "%s answers %s", req.URL, resp.Status)
	}
	return doctor.Good("%s is ready", address)
}
