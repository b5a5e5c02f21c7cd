package queue

import (
	"context"
	"fmt"
	"slices"
	"strings"

	natsserver "github.com/nats-io/nats-server/v2/server"
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

func runnerUsers(rs []Runner) ([]*natsserver.NkeyUser, error) {
	var users []*natsserver.NkeyUser
	names, keys := map[string]bool{}, map[string]bool{}
	for _, r := range rs {
		switch {
		case !plain(r.Name):
			return nil, fmt.Errorf("queue: runner %q: the name must be letters, digits, - and _", r.Name)
		case !nkeys.IsValidPublicUserKey(r.Key):
			return nil, fmt.Errorf("queue: runner %s: %q is no public user nkey (it begins with U)", r.Name, r.Key)
		case len(r.Pools) == 0:
			return nil, fmt.Errorf("queue: runner %s: no pools (name at least one)", r.Name)
		case names[r.Name]:
			return nil, fmt.Errorf("queue: runner %s is there twice", r.Name)
		case keys[r.Key]:
			return nil, fmt.Errorf("queue: runner %s: its key belongs to another runner", r.Name)
		}
		names[r.Name], keys[r.Key] = true, true
		for _, p := range r.Pools {
			if !plain(p) {
				return nil, fmt.Errorf("queue: runner %s: pool %q must be letters, digits, - and _", r.Name, p)
			}
		}
		users = append(users, &natsserver.NkeyUser{Nkey: r.Key, Permissions: permissions(r)})
	}
	return users, nil
}

// permissions lists all that a runner can do: look at and pull from the consumers of its pools, acknowledge what it
// pulled, read its pools' bundles piece by piece, publish its own results. No right to create a consumer: one with a
// deliver subject of its maker's choice can make the server republish messages into any other stream.
func permissions(r Runner) *natsserver.Permissions {
	allow := []string{subjectMust(Results, r.Name)}
	for _, p := range r.Pools {
		c := JobConsumer(p).Name
		allow = append(allow,
			"$JS.API.CONSUMER.INFO."+string(Jobs)+"."+c,
			"$JS.API.CONSUMER.MSG.NEXT."+string(Jobs)+"."+c,
			"$JS.ACK."+string(Jobs)+"."+c+".>",
			"$JS.ACK.*.*."+string(Jobs)+"."+c+".>", // the newer form, with domain and account
			"$JS.API.DIRECT.GET."+blobStream+".blobs.*.bundles."+escape(p)+".>",
		)
	}
	return &natsserver.Permissions{
		Publish:   &natsserver.SubjectPermission{Allow: allow},
		Subscribe: &natsserver.SubjectPermission{Allow: []string{inboxPrefix(r.Key) + ".>"}},
	}
}

func subjectMust(s Stream, sub string) string {
	prefix, _ := subjectPrefix(s)
	return prefix + "." + sub
}

func allPools(o *EmbeddedOptions) []string {
	pools := slices.Clone(o.Pools)
	for _, r := range o.Runners {
		pools = append(pools, r.Pools...)
	}
	slices.Sort(pools)
	return slices.Compact(pools)
}

// EnsurePools creates the job consumers of pools, which runners may not do themselves.
func (c *Conn) EnsurePools(ctx context.Context, pools ...string) error {
	for _, p := range pools {
		if !plain(p) || strings.Contains(p, ".") {
			return fmt.Errorf("queue: pool %q must be letters, digits, - and _", p)
		}
		want := JobConsumer(p)
		want.Lease = c.opts.JobLease
		if _, err := c.consumer(ctx, Jobs, want); err != nil {
			return fmt.Errorf("queue: pool %s: %w", p, err)
		}
	}
	return nil
}
