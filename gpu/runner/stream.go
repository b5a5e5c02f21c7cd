package runner

import (
	"context"
	"fmt"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// pieceBytes and pieceEvery bound what a developer waits for: a piece of the log goes out when it is long, or old.
const (
	pieceBytes = 128 << 10
	pieceEvery = 200 * time.Millisecond
)

// stream sends the output of a job in pieces while it runs. It never holds the job up: what the queue does not take in
// time is left out, and said.
type stream struct {
	f     *firing
	in    chan []byte
	ended chan struct{}
}

func (f *firing) newStream(ctx context.Context) *stream {
	s := &stream{f: f, in: make(chan []byte, 256), ended: make(chan struct{})}
	go s.send(ctx)
	return s
}

// write is called by one goroutine. A job that prints faster than the network takes it waits here, as it would for a
// terminal.
func (s *stream) write(b []byte) { s.in <- append([]byte(nil), b...) }

func (s *stream) close() {
	close(s.in)
	<-s.ended
}

func (s *stream) send(ctx context.Context) {
	defer close(s.ended)
	var buf []byte
	var total int64
	tick := time.NewTicker(pieceEvery)
	defer tick.Stop()
	flush := func() {
		if len(buf) > 0 {
			s.put(ctx, buf)
			buf = nil
		}
	}
	for {
		select {
		case b, ok := <-s.in:
			if !ok {
				flush()
				return
			}
			if room := s.f.MaxLog - total; int64(len(b)) > room {
				if room >= 0 {
					b = append(b[:room:room], fmt.Sprintf("\n… the log is longer than %d MiB, the rest is left out …\n", s.f.MaxLog>>20)...)
				} else {
					b = nil
				}
				total = s.f.MaxLog + 1
			} else {
				total += int64(len(b))
			}
			if buf = append(buf, b...); len(buf) >= pieceBytes {
				flush()
			}
		case <-tick.C:
			flush()
		}
	}
}

// putTries for one piece; a queue that is away for longer costs the piece and not the job.
const putTries = 5

func (s *stream) put(ctx context.Context, b []byte) {
	name := queue.LogName(s.f.pool, s.f.client, s.f.job.ID, s.f.epoch(), s.f.pieces)
	ctx, cancel := outlast(ctx, lastTry)
	defer cancel()
	for i := range putTries {
		err := s.f.notes.PutNote(ctx, name, b)
		if err == nil {
			s.f.pieces++
			return
		}
		if ctx.Err() != nil {
			return
		}
		s.f.log.Warn("runner: a piece of a client's log is not taken", "job", s.f.job.ID, "error", err)
		time.Sleep(time.Duration(i+1) * 200 * time.Millisecond)
	}
}
