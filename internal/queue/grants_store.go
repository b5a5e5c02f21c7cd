package queue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// grantStream keeps the newest grant of each job, for as long as results may come.
const (
	grantStream = "GRANTS"
	grantsAge   = resultsAge
)

// readGrant implements grantStore. What it reads may be old where a cluster answers from a replica: the write tells.
func (c *Conn) readGrant(ctx context.Context, name string) ([]byte, uint64, error) {
	subject, err := escapePath(name)
	if err != nil {
		return nil, 0, err
	}
	ctx, end := c.bounded(ctx)
	defer end()
	m, err := c.newest(ctx, grantStream, "grants."+subject)
	if err != nil {
		return nil, 0, err
	}
	seq, err := strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64)
	if err != nil {
		return nil, 0, fmt.Errorf("sequence of the grant: %w", err)
	}
	return m.Data, seq, nil
}

// writeGrant implements grantStore: it returns when the grant is on disk.
func (c *Conn) writeGrant(ctx context.Context, name string, data []byte, seq uint64) error {
	subject, err := escapePath(name)
	if err != nil {
		return err
	}
	if !c.nc.IsConnected() {
		if c.nc.IsClosed() {
			return ErrClosed
		}
		return ErrUnavailable
	}
	ctx, end := c.bounded(ctx)
	defer end()
	_, err = c.js.PublishMsg(ctx, &nats.Msg{Subject: "grants." + subject, Data: data, Header: nats.Header{}},
		jetstream.WithExpectStream(grantStream), jetstream.WithExpectLastSequencePerSubject(seq), jetstream.WithRetryAttempts(0))
	var api *jetstream.APIError
	if errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant) { // the second where there are replicas
		return ErrConflict
	}
	return c.classify(err)
}

// readGrant implements grantStore.
func (m *Memory) readGrant(ctx context.Context, name string) ([]byte, uint64, error) {
	if _, err := escapePath(name); err != nil {
		return nil, 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.usable(); err != nil {
		return nil, 0, err
	}
	r, ok := m.grants[name]
	if !ok {
		return nil, 0, ErrNotFound
	}
	return bytes.Clone(r.Value), r.Revision, ctx.Err()
}

// writeGrant implements grantStore.
func (m *Memory) writeGrant(ctx context.Context, name string, data []byte, seq uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.usable(); err != nil {
		return err
	}
	if m.grants[name].Revision != seq {
		return ErrConflict
	}
	m.rev++
	m.grants[name] = Record{Value: bytes.Clone(data), Revision: m.rev}
	m.wake()
	return ctx.Err()
}
