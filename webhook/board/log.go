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
