package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Grants number the leases of a job. The count of deliveries does not do for that: JetStream writes it down later than it
// hands the message out, so that a server that was killed hands the same job out again under the same number. A grant is
// on disk before anybody acts on it, and the next one of a job has the next number, whoever takes it and whatever dies.
//
// A runner takes a grant for each delivery before it executes anything, and executes once for it. A word of an older grant
// counts for nothing once there is a newer one.
type Grants interface {
	// Claim takes the next grant of a job for a runner; client is empty for the server's own jobs. When the job has been
	// settled it returns the grant that did and ErrSettled.
	Claim(ctx context.Context, pool, client, id, runner string) (Grant, error)
	// Granted is the newest grant of a job, or ErrNotFound.
	Granted(ctx context.Context, pool, client, id string) (Grant, error)
	// Settle says that the result of a grant is stored and nobody needs to execute the job again. It is ErrLeaseLost when a
	// newer grant was taken meanwhile, and nothing when it was said before.
	Settle(ctx context.Context, g Grant) error
}

// ErrSettled means that a job's result is stored already.
var ErrSettled = errors.New("job is settled")

// Grant is one numbered lease of a job.
type Grant struct {
	Pool    string    `json:"-"`
	Client  string    `json:"-"`
	ID      string    `json:"-"`
	Epoch   int       `json:"epoch"` // from 1
	Runner  string    `json:"runner"`
	Settled bool      `json:"settled,omitempty"`
	At      time.Time `json:"at"`
}

var (
	_ Grants = (*Conn)(nil)
	_ Grants = (*Memory)(nil)
)

func (g Grant) name() string { return g.Pool + "/" + owner(g.Client) + "/" + g.ID }

// grantStore is compare-and-swap on one small value per name: seq is 0 where there is none, and rises with every write.
type grantStore interface {
	readGrant(ctx context.Context, name string) (data []byte, seq uint64, err error)
	writeGrant(ctx context.Context, name string, data []byte, seq uint64) error // or ErrConflict
}

func read(ctx context.Context, s grantStore, pool, client, id string) (Grant, uint64, error) {
	g := Grant{Pool: pool, Client: client, ID: id}
	data, seq, err := s.readGrant(ctx, g.name())
	if err != nil {
		return g, 0, fmt.Errorf("queue: grant of job %s: %w", id, err)
	}
	if err := json.Unmarshal(data, &g); err != nil {
		return g, 0, fmt.Errorf("queue: grant of job %s: %w (written by another version?)", id, err)
	}
	return g, seq, nil
}

func write(ctx context.Context, s grantStore, g Grant, seq uint64) error {
	data, err := json.Marshal(g)
	if err == nil {
		err = s.writeGrant(ctx, g.name(), data, seq)
	}
	if err != nil {
		return fmt.Errorf("queue: grant of job %s: %w", g.ID, err)
	}
	return nil
}

// grantTries bounds how often a claim may lose against others. It loses to one that wins, so somebody gets on.
const grantTries = 20

func claim(ctx context.Context, s grantStore, pool, client, id, runner string) (Grant, error) {
	for try := 1; ; try++ {
		g, seq, err := read(ctx, s, pool, client, id)
		switch {
		case err != nil && !errors.Is(err, ErrNotFound):
			return g, err
		case g.Settled:
			return g, fmt.Errorf("queue: grant of job %s: %w", id, ErrSettled)
		}
		g.Epoch, g.Runner, g.At = g.Epoch+1, runner, time.Now().UTC()
		if err = write(ctx, s, g, seq); err == nil || !errors.Is(err, ErrConflict) || try == grantTries {
			return g, err
		}
	}
}

func granted(ctx context.Context, s grantStore, pool, client, id string) (Grant, error) {
	g, _, err := read(ctx, s, pool, client, id)
	return g, err
}

func settle(ctx context.Context, s grantStore, g Grant) error {
	for try := 1; ; try++ {
		now, seq, err := read(ctx, s, g.Pool, g.Client, g.ID)
		switch {
		case errors.Is(err, ErrNotFound): // forgotten by age: nobody has taken another one since
			return nil
		case err != nil:
			return err
		case now.Epoch != g.Epoch:
			return fmt.Errorf("%w: grant %d of job %s has taken over from %d", ErrLeaseLost, now.Epoch, g.ID, g.Epoch)
		case now.Settled:
			return nil
		}
		now.Settled, now.At = true, time.Now().UTC()
		if err = write(ctx, s, now, seq); err == nil || !errors.Is(err, ErrConflict) || try == grantTries {
			return err
		}
	}
}

// Claim implements Grants.
func (c *Conn) Claim(ctx context.Context, pool, client, id, runner string) (Grant, error) {
	return claim(ctx, c, pool, client, id, runner)
}

// Granted implements Grants.
func (c *Conn) Granted(ctx context.Context, pool, client, id string) (Grant, error) {
	return granted(ctx, c, pool, client, id)
}

// Settle implements Grants.
func (c *Conn) Settle(ctx context.Context, g Grant) error { return settle(ctx, c, g) }

// Claim implements Grants.
func (m *Memory) Claim(ctx context.Context, pool, client, id, runner string) (Grant, error) {
	return claim(ctx, m, pool, client, id, runner)
}

// Granted implements Grants.
func (m *Memory) Granted(ctx context.Context, pool, client, id string) (Grant, error) {
	return granted(ctx, m, pool, client, id)
}

// Settle implements Grants.
func (m *Memory) Settle(ctx context.Context, g Grant) error { return settle(ctx, m, g) }
