package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Exhauster reports the jobs that used up their deliveries.
type Exhauster interface {
	// Exhausted calls f for every job that was delivered MaxDeliver times and never acknowledged, until ctx ends; it
	// returns ctx.Err() then. When f returns nil the job is removed from the work queue, else f is called again later.
	// It remembers its place across restarts. f may see the same job twice.
	Exhausted(ctx context.Context, f func(ctx context.Context, sub string, data []byte, deliveries int) error) error
}

// exhaustedLease is the time that f has.
const exhaustedLease = time.Minute

// Exhausted implements Exhauster. JetStream leaves such a message in the work queue for ever, undeliverable
// (nats-server issue 5564), and only announces it; the announcements are kept in a stream of their own. It counts when
// somebody asks for work: with no runner left at all nobody is told, and a job's own deadline must end it.
func (c *Conn) Exhausted(ctx context.Context, f func(context.Context, string, []byte, int) error) error {
	for ctx.Err() == nil {
		if c.nc.IsClosed() {
			return ErrClosed
		}
		if err := c.exhaustedOnce(ctx, f); err != nil && ctx.Err() == nil {
			c.opts.Log.Warn("queue: exhausted jobs: trying again", "error", err)
			select {
			case <-ctx.Done():
			case <-time.After(napFor):
			}
		}
	}
	return ctx.Err()
}

func (c *Conn) exhaustedOnce(ctx context.Context, f func(context.Context, string, []byte, int) error) error {
	short, cancel := c.bounded(ctx)
	cons, err := c.js.CreateOrUpdateConsumer(short, advisoryStream, jetstream.ConsumerConfig{
		Durable: "exhausted", AckPolicy: jetstream.AckExplicitPolicy, AckWait: exhaustedLease, MaxAckPending: 1})
	cancel()
	if err != nil {
		return c.classify(err)
	}
	for {
		m, err := c.fetchOne(ctx, cons)
		if m != nil {
			err = c.oneExhausted(ctx, m, f)
		}
		if err != nil || ctx.Err() != nil {
			return err
		}
		if c.nc.IsClosed() {
			return ErrClosed
		}
	}
}

func (c *Conn) oneExhausted(ctx context.Context, m jetstream.Msg, f func(context.Context, string, []byte, int) error) error {
	var adv struct {
		Stream     string `json:"stream"`
		Seq        uint64 `json:"stream_seq"`
		Deliveries int    `json:"deliveries"`
	}
	if err := json.Unmarshal(m.Data(), &adv); err != nil || adv.Stream != string(Jobs) {
		return c.tell(ctx, m, "+ACK") // of another stream: nothing of ours to complete
	}
	short, cancel := c.bounded(ctx)
	defer cancel()
	st, err := c.js.Stream(short, adv.Stream)
	if err != nil {
		return c.classify(err)
	}
	raw, err := st.GetMsg(short, adv.Seq)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return c.tell(ctx, m, "+ACK") // a late acknowledgement took it
	}
	if err != nil {
		return c.classify(err)
	}
	data, err := unpack(raw.Header, raw.Data)
	if err == nil {
		f = exceptFires(c, c, f)
		err = f(ctx, subOf(raw.Subject), data, adv.Deliveries)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("queue: exhausted job %d: %w", adv.Seq, err), c.tell(ctx, m, `-NAK {"delay": 1000000000}`))
	}
	if err := st.DeleteMsg(ctx, adv.Seq); err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
		return c.classify(err)
	}
	return c.tell(ctx, m, "+ACK")
}
