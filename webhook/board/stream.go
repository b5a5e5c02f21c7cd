package board

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/gatebot/gatebot/internal/logtext"
)

// What a live page may cost. A client holds one piece of the log in memory, whatever the log's length; one that does not
// read is cut off and comes back with the place where it was.
const (
	maxStreams = 256
	writeFor   = 20 * time.Second
	streamFor  = 5 * time.Minute // then the browser comes again by itself, and is asked again who it is
	primePiece = 32              // pieces that are read again to know what was held back
	primeBytes = 16 << 10
)

// stream is one live page.
type stream struct {
	w      http.ResponseWriter
	c      *http.ResponseController
	feed   Feed
	at     place
	filter logtext.Filter
	told   string // progress that was sent last
	sent   time.Time
}

// Stream sends the log and the progress of a job as server-sent events until the job is done: `log` with a text, `lease` when
// another run of the job begins, `progress`, and `end`. It goes on after the event that the browser names.
func (b *Board) Stream(w http.ResponseWriter, r *http.Request, feed Feed) {
	if b.streams.Add(1) > maxStreams {
		b.streams.Add(-1)
		w.Header().Set("Retry-After", "30")
		http.Error(w, "gatebot: too many live pages; load the page again later", http.StatusServiceUnavailable)
		return
	}
	defer b.streams.Add(-1)
	ctx, cancel := context.WithTimeout(r.Context(), streamFor)
	defer cancel()
	defer context.AfterFunc(b.stopped, cancel)()
	s := &stream{w: w, c: http.NewResponseController(w), feed: feed}
	after := r.Header.Get("Last-Event-ID")
	if after == "" {
		after = r.URL.Query().Get("after")
	}
	s.at = parsePlace(after)
	setHeaders(w.Header())
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	if err := s.run(ctx, b.Tick, b.Beat); err != nil && ctx.Err() == nil {
		b.warn(ctx, "live page", err)
	}
}

func (s *stream) run(ctx context.Context, every, beat time.Duration) error {
	if err := s.write("retry: 3000\n\n"); err != nil {
		return err
	}
	if err := s.prime(ctx); err != nil {
		return err
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		done, err := s.step(ctx)
		if done || err != nil {
			return err
		}
		if time.Since(s.sent) >= beat {
			if err := s.write(": beat\n\n"); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// step sends what is new.
func (s *stream) step(ctx context.Context) (done bool, err error) {
	j, err := s.feed.Job(ctx) // before the log: what was written until the job was done is there then
	if err != nil {
		return false, err
	}
	p, err := s.feed.Progress(ctx)
	if err != nil {
		return false, err
	}
	if p != nil {
		if err := s.follow(ctx, p); err != nil {
			return false, err
		}
	}
	if err := s.progress(&j, p); err != nil || j.State != "done" {
		return false, err
	}
	if text := s.filter.End(); text != "" {
		if err := s.log(text); err != nil {
			return false, err
		}
	}
	return true, s.event("end", map[string]string{"conclusion": j.Conclusion})
}

// follow sends the pieces that are there by now.
func (s *stream) follow(ctx context.Context, p *Progress) error {
	if p.Attempt != s.at.attempt || p.Lease != s.at.lease {
		again := s.at.lease != 0
		s.at, s.filter = place{p.Attempt, p.Lease, 0}, logtext.Filter{}
		if again {
			if err := s.event("lease", map[string]any{"attempt": p.Attempt, "runner": p.Runner}); err != nil {
				return err
			}
		}
	}
	for s.at.piece < p.Pieces {
		piece, err := s.feed.Piece(ctx, s.at.attempt, s.at.lease, s.at.piece)
		if err != nil {
			return err
		}
		s.at.piece++
		text := lost
		if piece != nil {
			text = s.filter.Add(piece)
		}
		if err := s.log(text); err != nil {
			return err
		}
	}
	return nil
}

// prime reads again what was sent last, to know what the filter held back of it.
func (s *stream) prime(ctx context.Context) error {
	var parts [][]byte
	size := 0
	for n := s.at.piece - 1; n >= 0 && len(parts) < primePiece && size < primeBytes; n-- {
		piece, err := s.feed.Piece(ctx, s.at.attempt, s.at.lease, n)
		if err != nil {
			return err
		}
		if piece == nil {
			break
		}
		parts = append(parts, piece)
		size += len(piece)
	}
	for i := len(parts) - 1; i >= 0; i-- {
		s.filter.Add(parts[i])
	}
	return nil
}

// progress tells how far the job is, when that has changed.
func (s *stream) progress(j *Job, p *Progress) error {
	what := map[string]any{"state": j.State, "title": j.Title, "place": j.Place, "phases": phases(p, j.HasResults)}
	if p != nil {
		what["runner"], what["attempt"] = p.Runner, p.Attempt
	}
	data, err := json.Marshal(what)
	if err != nil || string(data) == s.told {
		return err
	}
	s.told = string(data)
	return s.event("progress", what)
}

// log sends a text of the log with its place. A text that is empty moves the place on.
func (s *stream) log(text string) error {
	data, err := json.Marshal(text) // on one line, whatever it holds
	if err != nil {
		return err
	}
	return s.write(fmt.Sprintf("event: log\nid: %s\ndata: %s\n\n", s.at, data))
}

func (s *stream) event(name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.write(fmt.Sprintf("event: %s\ndata: %s\n\n", name, data))
}

func (s *stream) write(text string) error {
	// The server's own limit is for requests that end. Where this one cannot be set that holds, and the browser comes again.
	_ = s.c.SetWriteDeadline(time.Now().Add(writeFor))
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	s.sent = time.Now()
	return s.c.Flush()
}
