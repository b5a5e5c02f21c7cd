package queue

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// consumer finds or makes the durable consumer. A runner only finds.
func (c *Conn) consumer(ctx context.Context, s Stream, want Consumer) (jetstream.Consumer, error) {
	key := string(s) + "/" + want.Name
	c.mu.Lock()
	have := c.consumers[key]
	c.mu.Unlock()
	if have != nil {
		return have, nil
	}
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	var err error
	if c.opts.Role == RoleRunner {
		have, err = c.js.Consumer(ctx, string(s), want.Name)
	} else {
		var cfg jetstream.ConsumerConfig
		if cfg, err = want.config(s); err != nil {
			return nil, err
		}
		have, err = c.js.CreateOrUpdateConsumer(ctx, string(s), cfg)
	}
	if err != nil {
		return nil, c.classify(err)
	}
	c.mu.Lock()
	c.consumers[key] = have
	c.mu.Unlock()
	return have, nil
}

func (c *Conn) forget(s Stream, want Consumer) {
	c.mu.Lock()
	delete(c.consumers, string(s)+"/"+want.Name)
	c.mu.Unlock()
}

func (w Consumer) config(s Stream) (jetstream.ConsumerConfig, error) {
	prefix, err := subjectPrefix(s)
	if err != nil {
		return jetstream.ConsumerConfig{}, err
	}
	filter := prefix + ".>"
	if w.Sub != "" {
		if filter, err = filterOf(s, w.Sub); err != nil {
			return jetstream.ConsumerConfig{}, err
		}
	}
	cfg := jetstream.ConsumerConfig{
		Durable: w.Name, FilterSubject: filter, AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: w.Lease, MaxDeliver: w.MaxDeliver, MaxAckPending: w.MaxInFlight,
	}
	if cfg.AckWait <= 0 {
		cfg.AckWait = 30 * time.Second
	}
	if cfg.MaxDeliver <= 0 {
		cfg.MaxDeliver = -1
	}
	if cfg.MaxAckPending <= 0 {
		cfg.MaxAckPending = 1
	}
	return cfg, nil
}

// Depth counts the messages of a consumer that nobody has yet and those that are leased.
func (c *Conn) Depth(ctx context.Context, s Stream, want Consumer) (waiting, leased int, err error) {
	cons, err := c.consumer(ctx, s, want)
	if err != nil {
		return 0, 0, err
	}
	info, err := cons.Info(ctx)
	if err != nil {
		return 0, 0, c.classify(err)
	}
	return int(info.NumPending), info.NumAckPending, nil
}
