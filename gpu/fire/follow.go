package fire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// lookEvery is how often a job is looked at. A runner sends a piece of the log five times a second at most.
const lookEvery = 150 * time.Millisecond

// waitWord is how often somebody who waits is told so.
const waitWord = 15 * time.Second

var errNobody = errors.New("no runner has taken the job")

// follower reads the log of one job, lease by lease.
type follower struct {
	*Client
	id    string
	log   io.Writer
	epoch int // the newest lease that was heard of
	next  int // piece of its log
}

func (c *Client) follow(ctx context.Context, id string, log io.Writer) (*Outcome, error) {
	f := &follower{Client: c, id: id, log: log}
	start, told := time.Now(), time.Now()
	away := false
	for {
		s, err := f.look(ctx)
		switch {
		case err == nil && s != nil:
			return &Outcome{FireState: *s, ID: id}, nil
		case errors.Is(err, errLog):
			return nil, err
		case err != nil && ctx.Err() == nil && !away:
			away = true
			c.say("the queue does not answer, trying on: %v", err)
		case err == nil && away:
			away = false
			c.say("the queue is back")
		}
		if f.epoch == 0 {
			if c.Patience > 0 && time.Since(start) > c.Patience {
				return nil, fmt.Errorf("fire: %w within %s (is a runner of pool %s up?)", errNobody, c.Patience, c.Pool)
			}
			if time.Since(told) > waitWord {
				told = time.Now()
				c.say("still waiting for a runner of pool %s (%s)", c.Pool, time.Since(start).Round(time.Second))
			}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lookEvery):
		}
	}
}

// errLog is a log that cannot be written here.
var errLog = errors.New("fire: log cannot be written")

// look takes what is new. A state comes back when the job is done and its log is read to the end.
func (f *follower) look(ctx context.Context) (*queue.FireState, error) {
	s, err := queue.GetFireState(ctx, f.Queue, f.Pool, f.Name, f.id)
	if errors.Is(err, queue.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if s.Epoch > f.epoch {
		f.taken(s)
		f.epoch, f.next = s.Epoch, 0
	}
	if s.Epoch < f.epoch {
		return nil, nil // a lease that another has taken over from
	}
	if err := f.pieces(ctx); err != nil {
		return nil, err
	}
	if s.State != queue.FireDone || f.next < s.Pieces {
		return nil, nil
	}
	return s, nil
}

// taken tells whose a new lease is. A job can be lost, taken again and done between two looks, so what counts is the
// number of the lease and not the state that was seen last.
func (f *follower) taken(s *queue.FireState) {
	switch {
	case s.Runner == "" || s.Class == queue.ClassCancelled:
	case f.epoch > 0:
		f.say("the runner was lost, %s begins anew", s.Runner)
	case s.Epoch > 1:
		f.say("another runner was lost or gave the job back, %s begins anew", s.Runner)
	default:
		f.say("runner %s has taken the job%s", s.Runner, on(s.Device))
	}
}

func on(device string) string {
	if device == "" {
		return ""
	}
	return " on " + device
}

func (f *follower) pieces(ctx context.Context) error {
	for {
		data, err := f.Queue.GetNote(ctx, queue.LogName(f.Pool, f.Name, f.id, f.epoch, f.next))
		if errors.Is(err, queue.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := f.log.Write(data); err != nil {
			return fmt.Errorf("%w: %w", errLog, err)
		}
		f.next++
	}
}
