package board

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

type jobData struct {
	Job      Job
	Base     string // path of the page, for links below it
	Commit   link
	PR       link
	Phases   []phase
	Progress *Progress
	Tail     string // the end of the log, as a whole of lines
	Cut      bool   // there is more before it
	At       string // place in the log, for the stream
	Live     bool
	Now      time.Time
}

// Job shows a job that has no report yet, or never will: how far it is, and its log. base is the path of the page.
func (b *Board) Job(w http.ResponseWriter, r *http.Request, feed Feed, base string) {
	ctx, cancel := context.WithTimeout(r.Context(), timeout)
	defer cancel()
	p, err := b.jobPage(ctx, feed, base)
	setHeaders(w.Header())
	if strings.HasPrefix(base, "/jobs/") {
		w.Header().Set("Referrer-Policy", "no-referrer") // the address is the secret
	} else {
		p.In, p.Back = true, "/board"
		if v := b.door.Visitor(r); v != nil {
			p.Login = v.Login
		}
	}
	if err != nil {
		b.fail(w, r, nil, err)
		return
	}
	b.render(w, http.StatusOK, p)
}

func (b *Board) jobPage(ctx context.Context, feed Feed, base string) (page, error) {
	j, err := feed.Job(ctx)
	if err != nil {
		return page{}, err
	}
	d := jobData{Job: j, Base: base, Commit: b.commit(j.Repo, j.Head), Live: j.State != "done", Now: b.Now()}
	if j.PR > 0 {
		d.PR = b.pull(j.Repo, j.PR)
	}
	if d.Progress, err = feed.Progress(ctx); err != nil {
		return page{}, err
	}
	d.Phases = phases(d.Progress, j.HasResults)
	if d.Progress != nil {
		if err := d.readTail(ctx, feed); err != nil {
			return page{}, err
		}
	}
	p := page{Name: "job", Title: fmt.Sprintf("%s on %s", j.Check, short(j.Head)), Data: d, Live: false}
	if d.Live {
		p.Refresh = 10
	}
	return p, nil
}
