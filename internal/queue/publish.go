package queue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Publish implements Queue. It answers within the connection's timeout whatever happens: a store that is full or
// broken is an error (ErrFull, ErrUnavailable), never a wait.
func (c *Conn) Publish(ctx context.Context, s Stream, sub, id string, data []byte) (bool, error) {
	subject, err := subjectOf(s, sub)
	if err != nil {
		return false, err
	}
	if !c.nc.IsConnected() {
		if c.nc.IsClosed() {
			return false, ErrClosed
		}
		return false, fmt.Errorf("queue: publish to %s: %w", s, ErrUnavailable)
	}
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	m := &nats.Msg{Subject: subject, Header: nats.Header{}}
	if err := pack(m, data); err != nil {
		return false, fmt.Errorf("queue: publish to %s: %w", s, err)
	}
	opts := []jetstream.PublishOpt{jetstream.WithExpectStream(string(s)), jetstream.WithRetryAttempts(0)}
	if id != "" {
		opts = append(opts, jetstream.WithMsgID(messageID(id)))
	}
	ack, err := c.js.PublishMsg(ctx, m, opts...)
	if err = c.classify(err); errors.Is(err, ErrFull) && c.opts.Role == RoleServer {
		if c.trim(ctx, s) {
			ack, err = c.js.PublishMsg(ctx, m, opts...)
			err = c.classify(err)
		}
	}
	if err != nil {
		return false, fmt.Errorf("queue: publish to %s: %w", s, err)
	}
	return ack.Duplicate, nil
}

// messageID makes any id fit for a header line.
func messageID(id string) string {
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' {
			h := sha256.Sum256([]byte(id))
			return "sha256-" + hex.EncodeToString(h[:])
		}
	}
	return id
}

// trim makes room in a full stream by removing the oldest quarter of what every consumer has acknowledged. It reports
// whether there is any. What nobody has read yet is never removed.
func (c *Conn) trim(ctx context.Context, s Stream) bool {
	if s == Jobs {
		return false // a work queue holds nothing but work
	}
	c.trimming.Lock() // many publishers meet the limit at once: one purge is enough
	defer c.trimming.Unlock()
	if time.Since(c.trimmed[s]) < time.Second {
		return true
	}
	st, err := c.js.Stream(ctx, string(s))
	if err != nil {
		return false
	}
	info := st.CachedInfo()
	floor, consumers := info.State.LastSeq, 0
	list := st.ListConsumers(ctx)
	for ci := range list.Info() {
		floor = min(floor, ci.AckFloor.Stream)
		consumers++
	}
	if list.Err() != nil || consumers == 0 || floor < info.State.FirstSeq {
		return false
	}
	upTo := min(floor, info.State.FirstSeq+(info.State.LastSeq-info.State.FirstSeq)/4) + 1
	if err := st.Purge(ctx, jetstream.WithPurgeSequence(upTo)); err != nil {
		return false
	}
	c.trimmed[s] = time.Now()
	c.opts.Log.Warn("queue: stream is full, removed the oldest messages that are done with",
		"stream", s, "up_to", upTo-1)
	return true
}
