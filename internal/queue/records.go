package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

// records is the bucket, or why there is none for this connection.
func (c *Conn) records(bucket, key string) (jetstream.KeyValue, string, error) {
	kv := c.buckets[bucket]
	switch {
	case c.nc.IsClosed():
		return nil, "", ErrClosed
	case kv == nil && c.opts.Role == RoleRunner:
		return nil, "", fmt.Errorf("queue: bucket %s: runners have no records", bucket)
	case kv == nil:
		return nil, "", fmt.Errorf("queue: no bucket %q", bucket)
	case key == "":
		return nil, "", fmt.Errorf("queue: bucket %s: empty key", bucket)
	}
	return kv, escape(key), nil
}

func recordErr(bucket, key string, err error) error {
	if err == nil {
		return nil
	}
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		err = ErrNotFound
	case errors.Is(err, jetstream.ErrKeyExists):
		err = ErrExists
	default:
		err = classify(err)
	}
	return fmt.Errorf("queue: record %s of %s: %w", key, bucket, err)
}

// Get implements Queue.
func (c *Conn) Get(ctx context.Context, bucket, key string) (Record, error) {
	kv, k, err := c.records(bucket, key)
	if err != nil {
		return Record{}, err
	}
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	e, err := kv.Get(ctx, k)
	if err != nil {
		return Record{}, recordErr(bucket, key, c.classify(err))
	}
	return Record{Value: e.Value(), Revision: e.Revision()}, nil
}

// Create implements Queue.
func (c *Conn) Create(ctx context.Context, bucket, key string, value []byte) (uint64, error) {
	kv, k, err := c.records(bucket, key)
	if err != nil {
		return 0, err
	}
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	rev, err := kv.Create(ctx, k, value)
	return rev, recordErr(bucket, key, c.classify(err))
}

// Update implements Queue.
func (c *Conn) Update(ctx context.Context, bucket, key string, value []byte, revision uint64) (uint64, error) {
	kv, k, err := c.records(bucket, key)
	if err != nil {
		return 0, err
	}
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	rev, err := kv.Update(ctx, k, value, revision)
	if errors.Is(err, jetstream.ErrKeyExists) { // the library's word for "wrong last sequence"
		err = ErrConflict
	}
	return rev, recordErr(bucket, key, c.classify(err))
}

// Keys implements Queue.
func (c *Conn) Keys(ctx context.Context, bucket string) ([]string, error) {
	kv, _, err := c.records(bucket, "any")
	if err != nil {
		return nil, err
	}
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	list, err := kv.ListKeys(ctx)
	if err != nil {
		return nil, fmt.Errorf("queue: keys of %s: %w", bucket, c.classify(err))
	}
	defer func() { _ = list.Stop() }()
	keys := []string{}
	for k := range list.Keys() {
		key, err := unescape(k)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("queue: keys of %s: %w", bucket, c.classify(err)) // the list is cut off
	}
	slices.Sort(keys)
	return keys, nil
}

// Delete implements Queue. A record that is not there is deleted already.
func (c *Conn) Delete(ctx context.Context, bucket, key string) error {
	kv, k, err := c.records(bucket, key)
	if err != nil {
		return err
	}
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	if _, err := kv.Get(ctx, k); errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil // no marker for what never was
	}
	return recordErr(bucket, key, c.classify(kv.Purge(ctx, k, jetstream.PurgeTTL(markerAge))))
}
