package queue

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nkeys"
)

// Runner is a machine that may take jobs. Name is the only sub-subject under which its results are accepted, so that
// Message.Sub of a result is proof of who sent it.
type Runner struct {
	Name  string
	Key   string // public nkey (U…); the runner holds the seed
	Pools []string
}

// NewRunnerKey makes a key pair: the public half goes to the server's configuration, the seed to the runner's.
func NewRunnerKey() (public string, seed []byte, err error) {
	key, err := nkeys.CreateUser()
	if err != nil {
		return "", nil, err
	}
	if public, err = key.PublicKey(); err != nil {
		return "", nil, err
	}
	seed, err = key.Seed()
	return public, seed, err
}

func checkRunners(rs []Runner) error {
	names, keys := map[string]bool{}, map[string]bool{}
	for _, r := range rs {
		switch {
		case !plain(r.Name):
			return fmt.Errorf("queue: runner %q: the name must be letters, digits, - and _", r.Name)
		case !nkeys.IsValidPublicUserKey(r.Key):
			return fmt.Errorf("queue: runner %s: %q is no public user nkey (it begins with U)", r.Name, r.Key)
		case len(r.Pools) == 0:
			return fmt.Errorf("queue: runner %s: no pools (name at least one)", r.Name)
		case names[r.Name]:
			return fmt.Errorf("queue: runner %s is there twice", r.Name)
		case keys[r.Key]:
			return fmt.Errorf("queue: runner %s: its key belongs to another runner", r.Name)
		}
		names[r.Name], keys[r.Key] = true, true
		for _, p := range r.Pools {
			if !plain(p) {
				return fmt.Errorf("queue: runner %s: pool %q must be letters, digits, - and _", r.Name, p)
			}
		}
	}
	return nil
}

func allPools(o *EmbeddedOptions) []string {
	pools := slices.Clone(o.Pools)
	for _, r := range o.Runners {
		pools = append(pools, r.Pools...)
	}
	for _, c := range o.Clients {
		pools = append(pools, c.Pools...)
	}
	slices.Sort(pools)
	return slices.Compact(pools)
}

// ensure creates or changes a consumer of jobs.
func (c *Conn) ensure(ctx context.Context, want Consumer) error {
	return c.settle(ctx, func(ctx context.Context) error {
		_, err := c.consumer(ctx, Jobs, want)
		return err
	})
}

// EnsurePools creates the job consumers of pools, which runners may not do themselves.
func (c *Conn) EnsurePools(ctx context.Context, pools ...string) error {
	for _, p := range pools {
		if !plain(p) || strings.Contains(p, ".") {
			return fmt.Errorf("queue: pool %q must be letters, digits, - and _", p)
		}
		for _, want := range JobConsumers(p) {
			want.Lease = c.opts.JobLease
			if err := c.ensure(ctx, want); err != nil {
				return fmt.Errorf("queue: pool %s: %w", p, err)
			}
		}
	}
	return nil
}

// EnsureRunners creates the consumers of what single runners are to have, and leaves one runner of each pool that has more
// to the checks of commits: developers' jobs hold the others at most, however long they take.
func (c *Conn) EnsureRunners(ctx context.Context, rs ...Runner) error {
	size := map[string]int{}
	for _, r := range rs {
		for _, p := range r.Pools {
			size[p]++
		}
	}
	for pool, n := range size {
		want := fireConsumer(pool)
		want.Lease, want.MaxInFlight = c.opts.JobLease, max(n-1, 1)
		c.forget(Jobs, want)
		if err := c.ensure(ctx, want); err != nil {
			return fmt.Errorf("queue: pool %s: %w", pool, err)
		}
	}
	for _, r := range rs {
		for _, p := range r.Pools {
			want := toConsumer(p, r.Name)
			want.Lease = c.opts.JobLease
			if err := c.ensure(ctx, want); err != nil {
				return fmt.Errorf("queue: runner %s of pool %s: %w", r.Name, p, err)
			}
		}
	}
	return nil
}
