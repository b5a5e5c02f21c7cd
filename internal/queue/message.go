package queue

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

type message struct {
	c          *Conn
	m          jetstream.Msg
	data       []byte
	deliveries int
	lease      time.Duration
}

func (m *message) Data() []byte    { return m.data }
func (m *message) Sub() string     { return subOf(m.m.Subject()) }
func (m *message) Deliveries() int { return m.deliveries }

// Lease is what the consumer grants, whatever the caller of Next asked for: a runner takes the server's word.
func (m *message) Lease() time.Duration { return m.lease }

// Token names this delivery for Release.
func (m *message) Token() string { return m.m.Reply() }

// Release gives a message back that an earlier process had leased, by the token of that delivery: it comes again at
// once and not when its lease runs out. Only while that lease still runs: JetStream does not look at which delivery a
// token is of, and would take the message from whoever has it by now.
func (c *Conn) Release(ctx context.Context, token string) error {
	if !strings.HasPrefix(token, "$JS.ACK.") || strings.ContainsAny(token, " \t\r\n*>") {
		return fmt.Errorf("queue: release: %.80q is no token", token)
	}
	if err := c.word(ctx, token, "-NAK"); err != nil {
		return fmt.Errorf("queue: release: %w", err)
	}
	return nil
}

// Extend waits for the server's word: a heart-beat that only went into a socket's buffer holds no lease.
func (m *message) Extend() error {
	ctx, cancel := context.WithTimeout(context.Background(), m.patience())
	defer cancel()
	return m.wrap("extend", m.c.tell(ctx, m.m, "+WPI"))
}

// patience keeps one lost request from eating the whole lease.
func (m *message) patience() time.Duration {
	if m.lease <= 0 {
		return m.c.opts.Timeout
	}
	return min(m.c.opts.Timeout, m.lease/3)
}

func (m *message) Ack(ctx context.Context) error { return m.wrap("ack", m.c.tell(ctx, m.m, "+ACK")) }

func (m *message) Retry(delay time.Duration) error {
	word := "-NAK"
	if delay > 0 {
		word = fmt.Sprintf(`-NAK {"delay": %d}`, delay.Nanoseconds())
	}
	return m.wrap("retry", m.c.tell(context.Background(), m.m, word))
}

func (m *message) Drop(ctx context.Context, reason string) error {
	return m.wrap("drop", m.c.drop(ctx, m.m, reason))
}

func (m *message) wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("queue: %s of %s: %w", what, m.m.Subject(), err)
}

// oneLine keeps a reason inside the protocol line and short.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, s)
	if len(s) > 400 {
		s = s[:400]
	}
	return s
}
