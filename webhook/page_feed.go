package webhook

import (
	"context"
	"errors"
	"fmt"

	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/board"
)

// feed is one job as its page follows it: what the record says, and what its runner does.
type feed struct {
	p         *planner
	key, pool string
}

func (s *Server) feed(rec *Record) board.Feed { return feed{s.planner, rec.Key, rec.Pool} }

func (f feed) Job(ctx context.Context) (board.Job, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	r, _, err := f.p.load(ctx, f.key)
	if err != nil {
		return board.Job{}, err
	}
	return f.p.boardJob(r), nil
}

// Progress is that of the newest attempt that a runner has said anything of: while the next one waits, the log of the one
// that was spoilt is what people want to see.
func (f feed) Progress(ctx context.Context) (*board.Progress, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	notes, ok := f.p.q.(queue.Notes)
	if !ok {
		return nil, nil
	}
	r, _, err := f.p.load(ctx, f.key)
	if err != nil {
		return nil, err
	}
	for attempt := r.Attempt; attempt > 0 && attempt >= r.Attempt-1; attempt-- {
		p, err := queue.GetProgress(ctx, notes, f.pool, "", attemptID(f.key, attempt))
		if errors.Is(err, queue.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return &board.Progress{Attempt: attempt, Lease: p.Epoch, Runner: p.Runner, Phase: p.Phase, Done: p.Done, Total: p.Total, Unit: p.Unit,
			Pieces: p.Pieces, At: p.At, Ended: p.Ended}, nil
	}
	return nil, nil
}

func (f feed) Piece(ctx context.Context, attempt, lease, n int) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	notes, ok := f.p.q.(queue.Notes)
	if !ok {
		return nil, nil
	}
	data, err := notes.GetNote(ctx, queue.LogName(f.pool, "", attemptID(f.key, attempt), lease, n))
	if errors.Is(err, queue.ErrNotFound) {
		return nil, nil
	}
	return data, err
}

func attemptID(key string, attempt int) string { return fmt.Sprintf("%s.a%d", key, attempt) }
