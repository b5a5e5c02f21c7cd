package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// FireLimiter keeps one client from filling a pool's queue with jobs of its own.
type FireLimiter interface {
	// LimitFires ends the newest jobs of a client in a pool beyond most, waiting and running ones counted, until ctx ends; it
	// returns ctx.Err() then. Their sender is told why.
	LimitFires(ctx context.Context, most int) error
}

var (
	_ FireLimiter = (*Conn)(nil)
	_ FireLimiter = (*Memory)(nil)
)

// limitEvery is how often all clients are counted; a new job is looked at when it comes.
const limitEvery = 30 * time.Second

// tooMany is what a sender of too many jobs is told.
func tooMany(ctx context.Context, n Notes, g Grants, sub string, data []byte, most int) error {
	pool, client, ok := ParseFireSub(sub)
	if !ok {
		return nil
	}
	var job Fire
	if err := json.Unmarshal(data, &job); err != nil || job.ID == "" {
		return nil //nolint:nilerr // nobody can be told about a job without a name
	}
	grant, err := g.Claim(ctx, pool, client, job.ID, "") // a runner that has it already hears of it
	if errors.Is(err, ErrSettled) {
		return nil
	}
	if err != nil {
		return err
	}
	return PutFireState(ctx, n, pool, client, job.ID, FireState{State: FireDone, Epoch: grant.Epoch, Class: ClassVerdict, Code: codeUsage,
		Reason: fmt.Sprintf("%s has %d jobs in pool %s already, which is the most (wait for one to end, or take one back)", client, most, pool), At: time.Now().UTC()})
}

// codeUsage is gatebot's exit code for what was asked for wrongly.
const codeUsage = 2

// LimitFires implements FireLimiter.
func (c *Conn) LimitFires(ctx context.Context, most int) error {
	rings := make(chan string, 256)
	sub, err := c.nc.Subscribe(bellPrefix+".*."+fire+".*", func(m *nats.Msg) {
		select {
		case rings <- strings.TrimPrefix(m.Subject, bellPrefix+"."):
		default: // the next count of all finds it
		}
	})
	if err != nil {
		return c.classify(err)
	}
	defer func() { _ = sub.Unsubscribe() }() // it goes with the connection at the latest
	tick := time.NewTicker(limitEvery)
	defer tick.Stop()
	for filter := "*." + fire + ".*"; ; {
		if c.nc.IsClosed() {
			return ErrClosed
		}
		if err := c.limitFires(ctx, filter, most); err != nil && ctx.Err() == nil {
			c.opts.Log.Warn("queue: jobs of clients are not counted: trying again", "error", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case filter = <-rings:
		case <-tick.C:
			filter = "*." + fire + ".*"
		}
	}
}

// limitFires counts the jobs of a filter, which is a sub-subject or one with wildcards.
func (c *Conn) limitFires(ctx context.Context, filter string, most int) error {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	st, err := c.js.Stream(ctx, string(Jobs))
	if err != nil {
		return c.classify(err)
	}
	info, err := st.Info(ctx, jetstream.WithSubjectFilter("jobs."+filter))
	if err != nil {
		return c.classify(err)
	}
	for subject, n := range info.State.Subjects {
		if n > uint64(most) {
			gone, err := c.dropTakenBack(ctx, st, subject)
			if err != nil {
				return err
			}
			n -= min(n, gone)
		}
		for ; n > uint64(most); n-- {
			if err := c.endNewest(ctx, st, subject, most); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropTakenBack removes the jobs of a subject that their sender does not want any more: with no runner to drop them they
// would count for ever.
func (c *Conn) dropTakenBack(ctx context.Context, st jetstream.Stream, subject string) (gone uint64, err error) {
	pool, client, _ := ParseFireSub(subOf(subject))
	for seq := uint64(1); ; {
		m, err := st.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(subject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return gone, nil
		}
		if err != nil {
			return gone, c.classify(err)
		}
		seq = m.Sequence + 1
		var job Fire
		data, err := unpack(m.Header, m.Data)
		if err != nil || json.Unmarshal(data, &job) != nil || job.ID == "" {
			continue
		}
		if _, yes, err := Cancelled(ctx, c, pool, client, job.ID); err != nil {
			return gone, err
		} else if !yes {
			continue
		}
		if err := st.DeleteMsg(ctx, m.Sequence); err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
			return gone, c.classify(err)
		}
		gone++
	}
}

func (c *Conn) endNewest(ctx context.Context, st jetstream.Stream, subject string, most int) error {
	m, err := st.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil
	}
	if err != nil {
		return c.classify(err)
	}
	data, err := unpack(m.Header, m.Data)
	if err != nil {
		return err
	}
	if err := tooMany(ctx, c, c, subOf(subject), data, most); err != nil {
		return err
	}
	if err := st.DeleteMsg(ctx, m.Sequence); err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
		return c.classify(err)
	}
	return nil
}

// LimitFires implements FireLimiter.
func (m *Memory) LimitFires(ctx context.Context, most int) error {
	for {
		m.mu.Lock()
		var over []memMsg
		counts := map[string]int{}
		for _, msg := range m.stream(Jobs).msgs {
			pool, client, ok := ParseFireSub(msg.sub)
			if !ok {
				continue
			}
			var job Fire
			if json.Unmarshal(msg.data, &job) == nil && m.blobs["notes/"+CancelName(pool, client, job.ID)] != nil {
				continue // taken back: it waits for a runner that drops it
			}
			if counts[msg.sub]++; counts[msg.sub] > most {
				over = append(over, msg)
			}
		}
		changed, closed := m.changed, m.closed
		m.mu.Unlock()
		if closed {
			return ErrClosed
		}
		for _, msg := range over {
			if err := tooMany(ctx, m, m, msg.sub, msg.data, most); err == nil {
				m.mu.Lock()
				m.remove(Jobs, msg.seq)
				m.mu.Unlock()
			}
		}
		if err := wait(ctx, changed, time.Time{}); err != nil {
			return err
		}
	}
}
