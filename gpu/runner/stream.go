package runner

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// pieceBytes and pieceEvery bound what somebody waits for: a piece of the log goes out when it is long, or old.
const (
	pieceBytes = 128 << 10
	pieceEvery = 200 * time.Millisecond
)

// stream sends the output of a job in pieces while it runs. It never holds the job up: what the queue does not take in
// time is left out, and said.
type stream struct {
	*leased
	limit  int64 // bytes
	in     chan []byte
	ended  chan struct{}
	pieces atomic.Int64
	lost   atomic.Bool // something was left out since the last piece
}

func (l *leased) newStream(ctx context.Context, limit int64) *stream {
	s := &stream{leased: l, limit: limit, in: make(chan []byte, 256), ended: make(chan struct{})}
	go s.send(ctx)
	return s
}

// sent is how many pieces of the log the queue has.
func (s *stream) sent() int { return int(s.pieces.Load()) }

// write is called by one goroutine. A developer's script that prints faster than the network takes it waits here, as it
// would for a terminal. A check of the server's own does not: nobody may be looking.
func (s *stream) write(b []byte) {
	b = append([]byte(nil), b...)
	if s.client != "" {
		s.in <- b
		return
	}
	select {
	case s.in <- b:
	default:
		s.lost.Store(true)
	}
}

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
		if s.lost.Swap(false) {
			buf = append(buf, "\n… a part of the log is left out: the queue did not take it in time …\n"...)
		}
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
			if room := s.limit - total; int64(len(b)) > room {
				if room >= 0 {
					b = append(b[:room:room], fmt.Sprintf("\n… the log is longer than %d MiB, the rest is left out …\n", s.limit>>20)...)
				} else {
					b = nil
				}
				total = s.limit + 1
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
	if s.client == "" {
		b = []byte(clean(b)) // it is shown on a page; a script's goes to the terminal that it was written for
	}
	name := queue.LogName(s.pool, s.client, s.id, s.epoch(), s.sent())
	ctx, cancel := outlast(ctx, lastTry)
	defer cancel()
	for i := range putTries {
		err := s.notes.PutNote(ctx, name, b)
		if err == nil {
			s.pieces.Add(1)
			return
		}
		if ctx.Err() != nil {
			return
		}
		s.log.Warn("runner: a piece of a log is not taken", "job", s.id, "error", err)
		time.Sleep(time.Duration(i+1) * 200 * time.Millisecond)
	}
}
