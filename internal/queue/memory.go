package queue

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
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
		buckets: map[string]map[string]Record{}, blobs: map[string][]byte{}}
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

func (m *Memory) bucket(bucket string) (map[string]Record, error) {
	if err := m.usable(); err != nil {
		return nil, err
	}
	b := m.buckets[bucket]
	if b == nil {
		return nil, fmt.Errorf("queue: no bucket %q", bucket)
	}
	return b, nil
}

// Get implements Queue.
func (m *Memory) Get(_ context.Context, bucket, key string) (Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, err := m.bucket(bucket)
	if err != nil {
		return Record{}, err
	}
	r, ok := b[key]
	if !ok {
		return Record{}, recordErr(bucket, key, ErrNotFound)
	}
	return Record{Value: bytes.Clone(r.Value), Revision: r.Revision}, nil
}

// Create implements Queue.
func (m *Memory) Create(_ context.Context, bucket, key string, value []byte) (uint64, error) {
	return m.put(bucket, key, value, func(_ Record, there bool) error {
		if there {
			return ErrExists
		}
		return nil
	})
}

// Update implements Queue.
func (m *Memory) Update(_ context.Context, bucket, key string, value []byte, revision uint64) (uint64, error) {
	return m.put(bucket, key, value, func(r Record, there bool) error {
		if !there || r.Revision != revision {
			return ErrConflict
		}
		return nil
	})
}

func (m *Memory) put(bucket, key string, value []byte, ok func(Record, bool) error) (uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, err := m.bucket(bucket)
	if err != nil {
		return 0, err
	}
	if key == "" {
		return 0, fmt.Errorf("queue: bucket %s: empty key", bucket)
	}
	r, there := b[key]
	if err := ok(r, there); err != nil {
		return 0, recordErr(bucket, key, err)
	}
	m.rev++
	b[key] = Record{Value: bytes.Clone(value), Revision: m.rev}
	return m.rev, nil
}

// Keys implements Queue.
func (m *Memory) Keys(_ context.Context, bucket string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, err := m.bucket(bucket)
	if err != nil {
		return nil, err
	}
	keys := slices.AppendSeq([]string{}, maps.Keys(b))
	slices.Sort(keys)
	return keys, nil
}

// Delete implements Queue.
func (m *Memory) Delete(_ context.Context, bucket, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, err := m.bucket(bucket)
	if err != nil {
		return err
	}
	delete(b, key)
	return nil
}

// PutBlob implements Queue.
func (m *Memory) PutBlob(_ context.Context, name string, r io.Reader) error {
	if _, err := escapePath(name); err != nil {
		return err
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.usable(); err != nil {
		return err
	}
	m.blobs[name] = data
	return nil
}

// GetBlob implements Queue.
func (m *Memory) GetBlob(_ context.Context, name string) (io.ReadCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.usable(); err != nil {
		return nil, err
	}
	data, ok := m.blobs[name]
	if !ok {
		return nil, fmt.Errorf("queue: blob %s: %w", name, ErrNotFound)
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// DeleteBlob implements Queue.
func (m *Memory) DeleteBlob(_ context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.usable(); err != nil {
		return err
	}
	delete(m.blobs, name)
	return nil
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
