package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Trier is how a runner asks for work without waiting: it may lease a job only while it has a device to run it on.
type Trier interface {
	// Try leases the next message of the first of the consumers that has one. Neither message nor error: there is none.
	Try(ctx context.Context, s Stream, consumers ...Consumer) (Message, error)
	// Bell signals that a job was published for one of the pools. It may ring for nothing, and jobs that come back from
	// another runner make no sound: ask now and then all the same. stop ends it.
	Bell(pools ...string) (ring <-chan struct{}, stop func(), err error)
}

var (
	_ Trier = (*Conn)(nil)
	_ Trier = (*Memory)(nil)
)

// bellPrefix is where the server repeats the subjects of new jobs, without the jobs.
const bellPrefix = "bell"

// Try implements Trier.
func (c *Conn) Try(ctx context.Context, s Stream, consumers ...Consumer) (Message, error) {
	for _, want := range consumers {
		if c.nc.IsClosed() {
			return nil, ErrClosed
		}
		if !c.nc.IsConnected() {
			return nil, ErrUnavailable
		}
		m, err := c.tryOne(ctx, s, want)
		if m != nil {
			return m, nil
		}
		if err != nil && ctx.Err() == nil {
			c.forget(s, want)
			if errors.Is(err, jetstream.ErrConsumerNotFound) && s == Jobs {
				continue // a server that knows no such class, or has not made the pool yet
			}
			return nil, fmt.Errorf("queue: consumer %s of %s: %w", want.Name, s, c.classify(err))
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return nil, nil
}

func (c *Conn) tryOne(ctx context.Context, s Stream, want Consumer) (Message, error) {
	cons, err := c.consumer(ctx, s, want)
	if err != nil {
		return nil, err
	}
	batch, err := cons.FetchNoWait(1)
	if err != nil {
		return nil, err
	}
	for m := range batch.Messages() {
		return c.lease(ctx, m, cons.CachedInfo().Config.AckWait)
	}
	return nil, batch.Error()
}

// Bell implements Trier.
func (c *Conn) Bell(pools ...string) (<-chan struct{}, func(), error) {
	ring := make(chan struct{}, 1)
	var subs []*nats.Subscription
	stop := func() {
		for _, s := range subs {
			_ = s.Unsubscribe() // it goes with the connection at the latest
		}
	}
	for _, p := range pools {
		for _, subject := range []string{bellPrefix + "." + p, bellPrefix + "." + p + ".>"} {
			sub, err := c.nc.Subscribe(subject, func(*nats.Msg) {
				select {
				case ring <- struct{}{}:
				default:
				}
			})
			if err != nil {
				stop()
				return nil, nil, fmt.Errorf("queue: bell of pool %s: %w", p, err)
			}
			subs = append(subs, sub)
		}
	}
	return ring, stop, nil
}

// Try implements Trier.
func (m *Memory) Try(ctx context.Context, s Stream, consumers ...Consumer) (Message, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, ErrClosed
	}
	for _, want := range consumers {
		if msg, _ := m.tryNext(s, want); msg != nil {
			return msg, nil
		}
	}
	return nil, ctx.Err()
}

// Bell implements Trier: it rings for every change.
func (m *Memory) Bell(...string) (<-chan struct{}, func(), error) {
	ring, done := make(chan struct{}, 1), make(chan struct{})
	go func() {
		for {
			m.mu.Lock()
			changed := m.changed
			m.mu.Unlock()
			select {
			case <-done:
				return
			case <-changed:
			}
			select {
			case ring <- struct{}{}:
			default:
			}
		}
	}()
	return ring, sync.OnceFunc(func() { close(done) }), nil
}
