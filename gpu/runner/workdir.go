package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// ErrBusy means that another runner uses the work directory.
var ErrBusy = errors.New("work directory is in use by another runner")

// workDir holds the lock and the attempts.
type workDir struct {
	attempts string
	lock     *os.File
}

func openWorkDir(dir string) (*workDir, error) {
	w := &workDir{attempts: filepath.Join(dir, "attempts")}
	if err := os.MkdirAll(w.attempts, 0o700); err != nil {
		return nil, fmt.Errorf("runner: work directory: %w", err)
	}
	var err error
	if w.lock, err = os.OpenFile(filepath.Join(dir, "runner.lock"), os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return nil, fmt.Errorf("runner: work directory: %w", err)
	}
	if err := unix.Flock(int(w.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = w.lock.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = ErrBusy
		}
		return nil, fmt.Errorf("runner: %s: %w (stop it, or give this one another)", dir, err)
	}
	return w, nil
}

func (w *workDir) close() { _ = w.lock.Close() } // the lock goes with it

// clean ends what an earlier run left running, and removes its attempts. A directory that cannot be removed is in
// nobody's way: the next attempt has a fresh one.
func (r *runner) clean() {
	if r.machine.tree != nil {
		for _, g := range r.machine.tree.Leftovers() {
			if err := g.Kill(); err != nil {
				r.log.Error("runner: a control group of before the restart does not end", "error", err)
			}
		}
	}
	entries, err := os.ReadDir(r.work.attempts)
	if err != nil {
		r.log.Warn("runner: attempts of before", "error", err)
		return
	}
	for _, e := range entries {
		dir := filepath.Join(r.work.attempts, e.Name())
		if n, err := endLeftovers(dir); err != nil {
			r.log.Error("runner: a process of before the restart does not end", "attempt", e.Name(), "error", err)
		} else if n > 0 {
			r.log.Warn("runner: ended processes of before the restart", "attempt", e.Name(), "count", n)
		}
		if s := r.machine.spec; s != nil {
			left := *s
			left.Name = sandboxName(dir)
			if err := stopSandbox(context.Background(), &left, r.machine.user); err != nil {
				r.log.Error("runner: a sandbox of before the restart does not end", "attempt", e.Name(), "error", err)
			}
		}
		if r.Keep {
			continue
		}
		if err := removeAll(dir); err != nil {
			r.log.Warn("runner: attempt of before not removed", "error", err)
		}
	}
}

// removeAll also removes directories that their owner made unreadable.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	// Errors of the walk show in the second try.
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(p, 0o700)
		}
		if err != nil {
			return nil //nolint:nilerr // go on: what can be opened up is
		}
		return nil
	})
	return os.RemoveAll(dir)
}
