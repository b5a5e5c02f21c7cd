package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/gatebot/gatebot/internal/queue"
)

// store keeps records in the queue's buckets.
type store struct {
	q      queue.Queue
	locks  keyLocks
	shared *leases // where there are several servers; nil: this process alone
}

// load reads a record, or queue.ErrNotFound.
func (s *store) load(ctx context.Context, key string) (*Record, uint64, error) {
	var r Record
	rev, err := s.read(ctx, queue.BucketJobs, key, &r)
	return &r, rev, err
}

// create stores a new record, or says queue.ErrExists.
func (s *store) create(ctx context.Context, r *Record) (uint64, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return 0, fmt.Errorf("record %s: %w", r.Key, err)
	}
	return s.q.Create(ctx, queue.BucketJobs, r.Key, data)
}

// save stores a changed record over revision rev, or says queue.ErrConflict.
func (s *store) save(ctx context.Context, r *Record, rev uint64) (uint64, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return 0, fmt.Errorf("record %s: %w", r.Key, err)
	}
	return s.q.Update(ctx, queue.BucketJobs, r.Key, data, rev)
}

// read decodes one value of a bucket.
func (s *store) read(ctx context.Context, bucket, key string, into any) (uint64, error) {
	rec, err := s.q.Get(ctx, bucket, key)
	if err != nil {
		return 0, err
	}
	if err := json.Unmarshal(rec.Value, into); err != nil {
		return 0, fmt.Errorf("%s record %s: %w (written by another version?)", bucket, key, err)
	}
	return rec.Revision, nil
}

// change applies f to a value of a bucket until it wins, starting from the zero value when there is none. When f
// returns false nothing is written.
func change[T any](ctx context.Context, s *store, bucket, key string, f func(*T) bool) error {
	for {
		var v T
		rev, err := s.read(ctx, bucket, key, &v)
		missing := errors.Is(err, queue.ErrNotFound)
		if err != nil && !missing {
			return err
		}
		if !f(&v) {
			return nil
		}
		data, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("%s record %s: %w", bucket, key, err)
		}
		if missing {
			_, err = s.q.Create(ctx, bucket, key, data)
		} else {
			_, err = s.q.Update(ctx, bucket, key, data, rev)
		}
		if !errors.Is(err, queue.ErrExists) && !errors.Is(err, queue.ErrConflict) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// pullHead is what is known of a pull request: its newest head and the jobs that may still be unfinished.
type pullHead struct {
	Head string   `json:"head"`
	Keys []string `json:"keys"`
}

func pullKey(repo int64, pr int) string { return fmt.Sprintf("pull/%d/%d", repo, pr) }

// commitJob points from a commit to its newest job, for events that name a commit only.
type commitJob struct {
	Key string `json:"key"`
}

func commitKey(repo int64, sha string) string {
	return "commit/" + strconv.FormatInt(repo, 10) + "/" + sha
}

// keyLocks orders the work on one record within this process. Between processes the revision does.
type keyLocks struct {
	mu   sync.Mutex
	held map[string]*keyLock
}

type keyLock struct {
	ch   chan struct{}
	uses int
}

// use counts one more holder or waiter of a key; drop counts it off.
func (l *keyLocks) use(key string) (k *keyLock, drop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = map[string]*keyLock{}
	}
	k = l.held[key]
	if k == nil {
		k = &keyLock{ch: make(chan struct{}, 1)}
		l.held[key] = k
	}
	k.uses++
	return k, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if k.uses--; k.uses == 0 {
			delete(l.held, key)
		}
	}
}

// lock waits for the key or for ctx.
func (l *keyLocks) lock(ctx context.Context, key string) (unlock func(), err error) {
	k, drop := l.use(key)
	select {
	case k.ch <- struct{}{}:
		return func() { <-k.ch; drop() }, nil
	case <-ctx.Done():
		drop()
		return nil, ctx.Err()
	}
}

// try takes the key if nobody has it.
func (l *keyLocks) try(key string) (unlock func(), ok bool) {
	k, drop := l.use(key)
	select {
	case k.ch <- struct{}{}:
		return func() { <-k.ch; drop() }, true
	default:
		drop()
		return nil, false
	}
}
