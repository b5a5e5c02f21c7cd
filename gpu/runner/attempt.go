package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gatebot/gatebot/internal/bundle"
	"github.com/gatebot/gatebot/internal/queue"
)

// attempt runs one job in a fresh directory and makes a result of whatever happens. An error means that there is none:
// the context ended, or this machine cannot even make a directory.
func (r *runner) attempt(ctx context.Context, job *queue.Job, l *leased) (*queue.Result, error) {
	res := &queue.Result{JobID: job.ID, Key: job.Key, Pool: job.Pool, Attempt: job.Attempt, Epoch: l.epoch(), Runner: r.Name,
		Started: time.Now().UTC()}
	dir, done, err := r.place()
	if err != nil {
		return nil, err
	}
	defer done()
	if err := r.checkout(ctx, job.ID, job.Bundle, bundle.Want{Head: job.Head, Tree: job.Tree, Base: job.Base}, dir); err != nil {
		if stopping(ctx) {
			return nil, ctx.Err()
		}
		r.infra(res, err.Error())
	} else if err := l.check(ctx, job, dir, res); err != nil {
		return nil, err
	}
	res.Finished = time.Now().UTC()
	return res, nil
}

// stopFor is how long it is waited whether a failure is this runner's own end: who stops a service signals all its
// processes at once, and a child may be gone before the signal is heard of here.
const stopFor = 300 * time.Millisecond

// stopping reports whether ctx has ended, or does so now.
func stopping(ctx context.Context) bool {
	select {
	case <-ctx.Done():
	case <-time.After(stopFor):
	}
	return ctx.Err() != nil
}

// place makes the directory of an attempt; done removes it with all that is in it.
func (r *runner) place() (dir string, done func(), err error) {
	if dir, err = os.MkdirTemp(r.work.attempts, "a-"); err != nil { // mode 0700
		return "", nil, fmt.Errorf("runner: attempt: %w", err)
	}
	done = func() {
		if r.Keep {
			r.log.Info("runner: attempt kept", "dir", dir)
		} else if err := removeAll(dir); err != nil {
			r.log.Warn("runner: attempt not removed", "error", err)
		}
	}
	for _, d := range []string{"home", "tmp", "out"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			done()
			return "", nil, fmt.Errorf("runner: attempt: %w", err)
		}
	}
	if r.Seed != "" {
		if err := os.CopyFS(filepath.Join(dir, "home", ".cache"), os.DirFS(r.Seed)); err != nil {
			done()
			return "", nil, fmt.Errorf("runner: caches of the job from %s: %w", r.Seed, err)
		}
	}
	return dir, done, nil
}

// infra makes the result one about this machine or the way here, never about the code.
func (r *runner) infra(res *queue.Result, reason string) {
	res.Class, res.Reason, res.Results = queue.ClassInfra, reason, nil
}

// fetchTries with a pause between them; a queue that is away for longer makes the job an infrastructure fault.
const (
	fetchTries = 4
	fetchPause = time.Second
)

// checkout fetches the bundle and unpacks it into dir/tree.
func (r *runner) checkout(ctx context.Context, id string, blob queue.Blob, want bundle.Want, dir string) error {
	name := filepath.Join(dir, "bundle")
	for try := 1; ; try++ {
		err := r.fetch(ctx, blob, name)
		if err == nil {
			break
		}
		gone := errors.Is(err, queue.ErrNotFound) || errors.Is(err, bundle.ErrDamaged)
		if gone || try == fetchTries || ctx.Err() != nil {
			return fmt.Errorf("bundle not fetched: %w", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(fetchPause):
		}
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	got, err := bundle.Checkout(ctx, f, filepath.Join(dir, "tree"), want)
	if err != nil {
		return err
	}
	if len(got.Replaced) > 0 {
		r.log.Warn("runner: symbolic links that lead out of the tree became plain files", "job", id, "links", got.Replaced)
	}
	return os.Remove(name) // the child has no use for it, and it may be large
}

// fetch stores the blob under name and holds it against its size and checksum.
func (r *runner) fetch(ctx context.Context, b queue.Blob, name string) (err error) {
	src, err := r.q.GetBlob(ctx, b.Name)
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, sum), io.LimitReader(src, b.Size+1))
	if err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); n != b.Size || got != b.SHA256 {
		return fmt.Errorf("%w: %d bytes with SHA-256 %s, the job wants %d with %s", bundle.ErrDamaged, n, got, b.Size, b.SHA256)
	}
	return nil
}
