package queue

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
)

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
