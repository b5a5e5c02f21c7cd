package webhook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/gatebot/gatebot/internal/bundle"
	"github.com/gatebot/gatebot/internal/queue"
)

// storeBundle bundles the job's commits and puts the bundle into the queue's store. A repository that cannot be bundled ends
// the job; a store that cannot take it now does not.
func (p *planner) storeBundle(ctx context.Context, dir string, job *queue.Job) (*Outcome, error) {
	f, err := os.CreateTemp(p.tmp, "bundle-*")
	if err != nil {
		return nil, fmt.Errorf("bundle: %w", err)
	}
	defer func() {
		_ = f.Close()
		_ = os.Remove(f.Name())
	}()
	sum := sha256.New()
	limited := &limitWriter{w: io.MultiWriter(f, sum), left: p.policy.MaxBundle}
	if err := p.bundle(ctx, dir, job.Head, job.Base, limited); err != nil {
		if !errors.Is(err, bundle.ErrMissing) && !errors.Is(err, bundle.ErrTooLarge) && !errors.Is(err, bundle.ErrNoFiles) &&
			!errors.Is(err, bundle.ErrUnsupported) {
			return nil, err // a disk, a signal: another try may do better
		}
		end := infrastructure("the repository cannot be bundled: " + err.Error())
		return &end, nil
	}
	job.Bundle = queue.Blob{
		Name: queue.BundleName(job.Pool, job.Key), SHA256: hex.EncodeToString(sum.Sum(nil)),
		Size: p.policy.MaxBundle - limited.left,
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("bundle: %w", err)
	}
	return nil, p.q.PutBlob(ctx, job.Bundle.Name, f)
}

// limitWriter refuses what goes beyond its limit.
type limitWriter struct {
	w    io.Writer
	left int64
}

func (l *limitWriter) Write(b []byte) (int, error) {
	if int64(len(b)) > l.left {
		return 0, fmt.Errorf("%w: the bundle is over the limit (raise check.max_bundle)", bundle.ErrTooLarge)
	}
	n, err := l.w.Write(b)
	l.left -= int64(n)
	return n, err
}
