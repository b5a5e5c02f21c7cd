package board

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gatebot/gatebot/internal/logtext"
)

// maxTail is how much of a log a page shows at first, in bytes; the rest is a link away.
const maxTail = 64 << 10

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

// phase is one step of a check on the way.
type phase struct {
	Name, State string // done, running, stopped (the check ended there), or ahead
	Done, Total int
	Unit        string
}

// order are the phases of a check as they follow each other. Not every check has all of them.
var order = []string{"checkout", "source", "device", "canary", "load", "eager", "reference", "invariance", "sync", "drift", "alloc", "capture", "replay", "speed"}

// rare are those of them that most checks do not have: they are shown while they last.
var rare = []string{"reference", "invariance"}

// phases are how far a check is. Of one that has ended without a verdict the last one is where it stopped.
func phases(p *Progress, verdict bool) []phase {
	if p == nil || p.Phase == "" {
		return nil
	}
	at := slices.Index(order, p.Phase)
	var out []phase
	if at < 0 {
		return []phase{{p.Phase, last(p, verdict), p.Done, p.Total, p.Unit}}
	}
	for i, name := range order {
		x := phase{Name: name, State: "ahead"}
		switch {
		case i != at && slices.Contains(rare, name):
			continue
		case i < at:
			x.State = "done"
		case i == at:
			x = phase{name, last(p, verdict), p.Done, p.Total, p.Unit}
		}
		out = append(out, x)
	}
	return out
}

// last is the state of the phase that was last heard of.
func last(p *Progress, verdict bool) string {
	switch {
	case !p.Ended:
		return "running"
	case verdict:
		return "done"
	}
	return "stopped"
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

// readTail reads the end of the log, from the back: a log of an hour has thousands of pieces.
func (d *jobData) readTail(ctx context.Context, feed Feed) error {
	p := d.Progress
	var parts [][]byte
	size, n := 0, p.Pieces
	for ; n > 0 && size < maxTail; n-- {
		piece, err := feed.Piece(ctx, p.Attempt, p.Lease, n-1)
		if err != nil {
			return err
		}
		if piece == nil { // not kept any more, and neither is what came before it
			break
		}
		parts = append(parts, piece)
		size += len(piece)
	}
	d.Cut = n > 0
	slices.Reverse(parts)
	var f logtext.Filter
	var text strings.Builder
	for _, x := range parts {
		text.WriteString(f.Add(x))
	}
	if p.Ended || d.Job.State == "done" {
		text.WriteString(f.End())
	}
	d.Tail, d.At = text.String(), place{p.Attempt, p.Lease, p.Pieces}.String()
	if len(d.Tail) > maxTail {
		d.Tail, d.Cut = d.Tail[len(d.Tail)-maxTail:], true
	}
	if d.Cut {
		if i := strings.IndexByte(d.Tail, '\n'); i >= 0 {
			d.Tail = d.Tail[i+1:]
		}
		d.Tail = strings.ToValidUTF8(d.Tail, "")
	}
	return nil
}

// WholeLog writes the whole log of the newest lease as plain text.
func (b *Board) WholeLog(w http.ResponseWriter, r *http.Request, feed Feed) {
	p, err := feed.Progress(r.Context())
	if err != nil {
		b.fail(w, r, nil, err)
		return
	}
	if p == nil {
		http.Error(w, "gatebot: no log of this job is kept (logs are kept for days)", http.StatusNotFound)
		return
	}
	setHeaders(w.Header())
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	c := http.NewResponseController(w)
	var f logtext.Filter
	for n := range p.Pieces {
		_ = c.SetWriteDeadline(time.Now().Add(writeFor)) // where it cannot be set the server's own holds
		piece, err := feed.Piece(r.Context(), p.Attempt, p.Lease, n)
		if err != nil {
			b.warn(r.Context(), "log of a job", err)
			_, _ = fmt.Fprintf(w, "\n… the rest of the log cannot be read now …\n") // the asker may be gone
			return
		}
		text := lost
		if piece != nil {
			text = f.Add(piece)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			return // gone
		}
	}
	_, _ = w.Write([]byte(f.End())) // the asker may be gone
}

// lost stands for a piece that is not kept any more.
const lost = "\n… a piece of the log is not kept any more …\n"

// warn tells operators of what a reader is told less about.
func (b *Board) warn(ctx context.Context, what string, err error) {
	b.Options.Log.WarnContext(ctx, "board: "+what, "error", err)
}
