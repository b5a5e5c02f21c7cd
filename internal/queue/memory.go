package queue

import (
	"bytes"
	"context"
	"sync"
	"time"
)

// Memory is a Queue inside this process and without a disk, for tests of other packages. It behaves as the real one
// does (the same conformance tests run against both), except that nothing survives it.
type Memory struct {
	mu       sync.Mutex
	changed  chan struct{} // closed and replaced on every change: wakes all who wait
	streams  map[Stream]*memStream
	buckets  map[string]map[string]Record
	blobs    map[string][]byte
	grants   map[string]Record
	rev      uint64
	closed   bool
	fail     error
	overflow []memExhausted
}

type memStream struct {
	msgs      []memMsg
	last      uint64
	seen      map[string]bool
	consumers map[string]*memConsumer
}

type memMsg struct {
	seq  uint64
	sub  string
	data []byte
}

type memExhausted struct {
	sub  string
	data []byte
	n    int
	seq  uint64
}

var (
	_ Queue     = (*Memory)(nil)
	_ Exhauster = (*Memory)(nil)
)

// NewMemory makes an empty queue.
func NewMemory() *Memory {
	m := &Memory{changed: make(chan struct{}), streams: map[Stream]*memStream{},
		buckets: map[string]map[string]Record{}, blobs: map[string][]byte{}, grants: map[string]Record{}}
	for _, b := range []string{BucketJobs, BucketLeases, BucketFixLog, BucketHeads} {
		m.buckets[b] = map[string]Record{}
	}
	return m
}

// Fail makes every later write and Get return err, as a full or broken store does; nil mends it.
func (m *Memory) Fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = err
}

// wake must be called with the lock held.
func (m *Memory) wake() {
	close(m.changed)
	m.changed = make(chan struct{})
}

// usable must be called with the lock held.
func (m *Memory) usable() error {
	if m.closed {
		return ErrClosed
	}
	return m.fail
}

func (m *Memory) stream(s Stream) *memStream {
	st := m.streams[s]
	if st == nil {
		st = &memStream{seen: map[string]bool{}, consumers: map[string]*memConsumer{}}
		m.streams[s] = st
	}
	return st
}

// Publish implements Queue.
func (m *Memory) Publish(ctx context.Context, s Stream, sub, id string, data []byte) (bool, error) {
	if _, err := subjectOf(s, sub); err != nil {
		return false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.usable(); err != nil {
		return false, err
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	st := m.stream(s)
	if id != "" && st.seen[id] {
		return true, nil
	}
	if id != "" {
		st.seen[id] = true
	}
	st.last++
	st.msgs = append(st.msgs, memMsg{seq: st.last, sub: sub, data: bytes.Clone(data)})
	m.wake()
	return false, nil
}

// Close implements Queue.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	m.wake()
	return nil
}

// wait blocks until something changes, a lease may have run out, or ctx ends.
func wait(ctx context.Context, changed <-chan struct{}, until time.Time) error {
	var timer <-chan time.Time
	if !until.IsZero() {
		t := time.NewTimer(time.Until(until))
		defer t.Stop()
		timer = t.C
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-changed:
	case <-timer:
	}
	return nil
}
