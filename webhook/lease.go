package webhook

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"hash/fnv"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// leases keep several servers out of each other's way: one holder per name, in the store. No clocks are compared: a lease
// that has not changed for as long as it lasts, as the one who waits measures it, has lost its holder.
type leases struct {
	q     queue.Queue
	owner string
	last  time.Duration
	log   *slog.Logger
}

// leaseRecord is one lease. Every renewal changes it, so that its revision is its heart-beat.
type leaseRecord struct {
	Owner string `json:"owner"` // empty: free
	Beat  uint64 `json:"beat"`
}

// leaseFor is how long a holder may be silent.
const leaseFor = 10 * time.Second

func newLeases(q queue.Queue, last time.Duration, log *slog.Logger) *leases {
	if last <= 0 {
		last = leaseFor
	}
	return &leases{q: q, owner: rand.Text(), last: last, log: log}
}

// acquire waits for a lease, or for ctx. held ends when the lease is lost; release gives it back.
func (l *leases) acquire(ctx context.Context, name string) (held context.Context, release func(), err error) {
	var seen uint64
	since := time.Now()
	for {
		rec, rev, err := l.get(ctx, name)
		switch {
		case errors.Is(err, queue.ErrNotFound):
			if rev, err = l.put(ctx, name, leaseRecord{Owner: l.owner}, 0); err == nil {
				held, release = l.hold(ctx, name, rev)
				return held, release, nil
			}
		case err != nil:
		case rec.Owner == "" || rev == seen && time.Since(since) > l.last:
			if rec.Owner != "" {
				l.log.WarnContext(ctx, "lease taken over from a server that has gone silent", "lease", name)
			}
			if rev, err = l.put(ctx, name, leaseRecord{Owner: l.owner, Beat: rec.Beat + 1}, rev); err == nil {
				held, release = l.hold(ctx, name, rev)
				return held, release, nil
			}
		case rev != seen:
			seen, since = rev, time.Now()
		}
		if err != nil && !errors.Is(err, queue.ErrExists) && !errors.Is(err, queue.ErrConflict) {
			l.log.WarnContext(ctx, "lease: trying again", "lease", name, "error", err)
		}
		pause(ctx, l.last/20)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
	}
}

func (l *leases) get(ctx context.Context, name string) (r leaseRecord, rev uint64, err error) {
	rec, err := l.q.Get(ctx, queue.BucketLeases, name)
	if err != nil {
		return r, 0, err
	}
	return r, rec.Revision, json.Unmarshal(rec.Value, &r)
}

func (l *leases) put(ctx context.Context, name string, r leaseRecord, over uint64) (uint64, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return 0, err
	}
	if over == 0 {
		return l.q.Create(ctx, queue.BucketLeases, name, data)
	}
	return l.q.Update(ctx, queue.BucketLeases, name, data, over)
}

// hold renews the lease until it is released or lost.
func (l *leases) hold(ctx context.Context, name string, rev uint64) (context.Context, func()) {
	held, lost := context.WithCancel(ctx)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer lost()
		tick := time.NewTicker(l.last / 4)
		defer tick.Stop()
		for beat, renewed := uint64(1), time.Now(); ; beat++ {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			next, err := l.put(context.WithoutCancel(ctx), name, leaseRecord{Owner: l.owner, Beat: beat}, rev)
			switch {
			case err == nil:
				rev, renewed = next, time.Now()
			case errors.Is(err, queue.ErrConflict), time.Since(renewed) > l.last*3/4: // ours no longer, or soon not
				l.log.ErrorContext(ctx, "lease lost", "lease", name, "error", err)
				return
			}
		}
	})
	return held, sync.OnceFunc(func() {
		close(stop)
		wg.Wait()
		if _, err := l.put(context.WithoutCancel(ctx), name, leaseRecord{}, rev); err != nil && !errors.Is(err, queue.ErrConflict) {
			l.log.WarnContext(ctx, "lease not given back: it runs out instead", "lease", name, "error", err)
		}
	})
}

// shards bounds how many leases there are for keys: two keys of one shard wait for each other, which is rare and harmless.
const shards = 4096

func shard(key string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key)) // a hash never fails
	return "key/" + strconv.Itoa(int(h.Sum32()%shards))
}

// lock takes a key for this process and, where there are several servers, among them.
func (s *store) lock(ctx context.Context, key string) (unlock func(), err error) {
	if s.shared == nil {
		return s.locks.lock(ctx, key)
	}
	name := shard(key)
	mine, err := s.locks.lock(ctx, name)
	if err != nil {
		return nil, err
	}
	_, release, err := s.shared.acquire(ctx, name)
	if err != nil {
		mine()
		return nil, err
	}
	return func() { release(); mine() }, nil
}

// try takes a key if this process has nothing to do with it just now.
func (s *store) try(ctx context.Context, key string) (unlock func(), ok bool) {
	if s.shared == nil {
		return s.locks.try(key)
	}
	name := shard(key)
	mine, ok := s.locks.try(name)
	if !ok {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(ctx, s.shared.last/10)
	defer cancel()
	_, release, err := s.shared.acquire(ctx, name)
	if err != nil {
		mine()
		return nil, false
	}
	return func() { release(); mine() }, true
}
