package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// pullFor is how long one pull request waits at the server. A message is handed over the moment it is there; the
// heart-beats of the pull tell a waiting server from a lost one.
const (
	pullFor  = 30 * time.Second
	pullBeat = 2 * time.Second
	napFor   = 500 * time.Millisecond // after a pull that failed
)

// Next implements Queue. A queue that cannot be reached is waited for; the connection says so in the log.
func (c *Conn) Next(ctx context.Context, s Stream, want Consumer) (Message, error) {
	if _, err := subjectPrefix(s); err != nil {
		return nil, err
	}
	if !plain(want.Name) {
		return nil, fmt.Errorf("queue: consumer name %q must be letters, digits, - and _", want.Name)
	}
	said := ""
	for {
		m, err := c.pull(ctx, s, want)
		switch {
		case m != nil:
			return m, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case c.nc.IsClosed():
			return nil, ErrClosed
		case err == nil:
			continue
		}
		if permanent(err) {
			return nil, fmt.Errorf("queue: consumer %s of %s: %w", want.Name, s, err)
		}
		c.forget(s, want)
		if err.Error() != said && c.nc.IsConnected() {
			said = err.Error()
			c.opts.Log.Warn("queue: pull failed, trying again", "stream", s, "consumer", want.Name, "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(napFor):
		}
	}
}

// permanent tells a request that the server will never take from one that may work later.
func permanent(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && api.Code == 400 || errors.Is(err, jetstream.ErrInvalidOption)
}

// pull makes one pull request. Neither message nor error means that there was nothing.
func (c *Conn) pull(ctx context.Context, s Stream, want Consumer) (Message, error) {
	cons, err := c.consumer(ctx, s, want)
	if err != nil {
		return nil, err
	}
	m, err := c.fetchOne(ctx, cons)
	if m == nil || err != nil {
		return nil, err
	}
	return c.lease(ctx, m, cons.CachedInfo().Config.AckWait)
}

// fetchOne waits up to pullFor for one message; nil means that there was none. It ends early when the connection was
// lost and is back: the server has forgotten the request then.
func (c *Conn) fetchOne(ctx context.Context, cons jetstream.Consumer) (jetstream.Msg, error) {
	up := c.pulls()
	ctx, cancel := context.WithTimeout(ctx, pullFor)
	defer cancel()
	defer context.AfterFunc(up, cancel)()
	opts := []jetstream.FetchOpt{jetstream.FetchContext(ctx), jetstream.FetchHeartbeat(pullBeat)}
	deadline, _ := ctx.Deadline()
	switch left := time.Until(deadline); {
	case left <= time.Millisecond:
		<-ctx.Done()
		return nil, nil
	case left < 3*pullBeat:
		opts = opts[:1] // the library wants an expiry of more than two beats
	}
	batch, err := cons.Fetch(1, opts...)
	if err != nil {
		return nil, err
	}
	for m := range batch.Messages() {
		return m, nil
	}
	if err := batch.Error(); err != nil && ctx.Err() == nil {
		return nil, err
	}
	return nil, nil
}

func (c *Conn) lease(ctx context.Context, m jetstream.Msg, granted time.Duration) (Message, error) {
	meta, err := m.Metadata()
	if err != nil {
		return nil, err
	}
	data, err := unpack(m.Headers(), m.Data())
	if err != nil {
		c.opts.Log.Error("queue: message cannot be read, dropped", "subject", m.Subject(), "error", err)
		return nil, c.drop(ctx, m, err.Error())
	}
	return &message{c: c, m: m, data: data, deliveries: int(meta.NumDelivered), lease: granted}, nil
}

// drop tells the server never to deliver m again and waits for its word. (The library's TermWithReason does not wait.)
func (c *Conn) drop(ctx context.Context, m jetstream.Msg, reason string) error {
	return c.tell(ctx, m, "+TERM "+oneLine(reason))
}

// tell sends a word about m and waits until the server has it.
func (c *Conn) tell(ctx context.Context, m jetstream.Msg, word string) error {
	return c.word(ctx, m.Reply(), word)
}

// word is tell by the delivery's subject.
func (c *Conn) word(ctx context.Context, subject, word string) error {
	if c.nc.IsClosed() {
		return ErrClosed
	}
	if !c.nc.IsConnected() {
		return ErrUnavailable
	}
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	_, err := c.nc.RequestWithContext(ctx, subject, []byte(word))
	if errors.Is(err, nats.ErrNoResponders) {
		return fmt.Errorf("%w: the consumer is gone", ErrLeaseLost)
	}
	return c.classify(err)
}
