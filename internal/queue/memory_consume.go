package queue

import (
	"context"
	"fmt"
	"slices"
	"time"
)

type memConsumer struct {
	want    Consumer
	next    uint64 // first sequence never looked at
	pending map[uint64]*memLease
}

// memLease is a message that was delivered at least once. until is when it may be delivered again.
type memLease struct {
	until time.Time
	n     int
	held  bool
}

// Next implements Queue.
func (m *Memory) Next(ctx context.Context, s Stream, want Consumer) (Message, error) {
	if _, err := subjectPrefix(s); err != nil {
		return nil, err
	}
	if !plain(want.Name) {
		return nil, fmt.Errorf("queue: consumer name %q must be letters, digits, - and _", want.Name)
	}
	for {
		m.mu.Lock()
		if m.closed {
			m.mu.Unlock()
			return nil, ErrClosed
		}
		msg, until := m.tryNext(s, want)
		changed := m.changed
		m.mu.Unlock()
		if msg != nil {
			return msg, nil
		}
		if err := wait(ctx, changed, until); err != nil {
			return nil, err
		}
	}
}

// tryNext leases a message, or says when the next lease runs out. The lock is held.
func (m *Memory) tryNext(s Stream, want Consumer) (Message, time.Time) {
	st := m.stream(s)
	c := st.consumers[want.Name]
	if c == nil {
		c = &memConsumer{next: 1, pending: map[uint64]*memLease{}}
		st.consumers[want.Name] = c
	}
	if want.Lease <= 0 {
		want.Lease = 30 * time.Second
	}
	c.want = want
	var soonest time.Time
	held := 0
	now := time.Now()
	for _, msg := range slices.Clone(st.msgs) {
		p := c.pending[msg.seq]
		switch {
		case p == nil:
			continue
		case p.until.After(now):
			if p.held {
				held++
			}
			if soonest.IsZero() || p.until.Before(soonest) {
				soonest = p.until
			}
			continue
		case want.MaxDeliver > 0 && p.n >= want.MaxDeliver:
			delete(c.pending, msg.seq)
			if s == Jobs {
				m.overflow = append(m.overflow, memExhausted{msg.sub, msg.data, p.n, msg.seq})
				m.wake()
			}
			continue
		}
		return m.deliver(s, c, msg), time.Time{}
	}
	if held >= max(want.MaxInFlight, 1) {
		return nil, soonest
	}
	for _, msg := range st.msgs {
		if msg.seq < c.next {
			continue
		}
		c.next = msg.seq + 1
		if want.Sub == "" || matches(want.Sub, msg.sub) {
			return m.deliver(s, c, msg), time.Time{}
		}
	}
	return nil, soonest
}

func (m *Memory) deliver(s Stream, c *memConsumer, msg memMsg) Message {
	p := c.pending[msg.seq]
	if p == nil {
		p = &memLease{}
		c.pending[msg.seq] = p
	}
	p.n++
	p.held = true
	p.until = time.Now().Add(c.want.Lease)
	return &memMessage{m: m, s: s, c: c, msg: msg, n: p.n}
}

type memMessage struct {
	m   *Memory
	s   Stream
	c   *memConsumer
	msg memMsg
	n   int
}

func (x *memMessage) Data() []byte    { return x.msg.data }
func (x *memMessage) Sub() string     { return x.msg.sub }
func (x *memMessage) Deliveries() int { return x.n }

// change runs f on the lease, if the message is still leased by anyone.
func (x *memMessage) change(f func(*memLease)) error {
	x.m.mu.Lock()
	defer x.m.mu.Unlock()
	if err := x.m.usable(); err != nil {
		return err
	}
	if p := x.c.pending[x.msg.seq]; p != nil {
		f(p)
	}
	x.m.wake()
	return nil
}

func (x *memMessage) Extend() error {
	return x.change(func(p *memLease) { p.until = time.Now().Add(x.c.want.Lease) })
}

func (x *memMessage) Retry(delay time.Duration) error {
	return x.change(func(p *memLease) { p.until, p.held = time.Now().Add(delay), false })
}

func (x *memMessage) Drop(ctx context.Context, _ string) error { return x.Ack(ctx) }

func (x *memMessage) Ack(context.Context) error {
	return x.change(func(*memLease) {
		delete(x.c.pending, x.msg.seq)
		if x.s == Jobs {
			x.m.remove(x.s, x.msg.seq)
		}
	})
}

func (m *Memory) remove(s Stream, seq uint64) {
	st := m.stream(s)
	st.msgs = slices.DeleteFunc(st.msgs, func(msg memMsg) bool { return msg.seq == seq })
}

// Exhausted implements Exhauster.
func (m *Memory) Exhausted(ctx context.Context, f func(context.Context, string, []byte, int) error) error {
	f = exceptFires(m, m, f)
	for {
		m.mu.Lock()
		todo, changed, closed := slices.Clone(m.overflow), m.changed, m.closed
		m.mu.Unlock()
		if closed {
			return ErrClosed
		}
		var until time.Time
		for _, e := range todo {
			if err := f(ctx, e.sub, e.data, e.n); err != nil {
				until = time.Now().Add(100 * time.Millisecond)
				continue
			}
			m.mu.Lock()
			m.overflow = slices.DeleteFunc(m.overflow, func(o memExhausted) bool { return o.seq == e.seq })
			m.remove(Jobs, e.seq)
			m.mu.Unlock()
		}
		if err := wait(ctx, changed, until); err != nil {
			return err
		}
	}
}
