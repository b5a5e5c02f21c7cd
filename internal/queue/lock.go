package queue

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// ErrLocked means that another server uses the store directory.
var ErrLocked = errors.New("store directory is in use by another server")

// lockDir takes the directory for this process; the kernel gives it back however the process ends.
func lockDir(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("queue: store directory: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "gatebot.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("queue: store directory: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("queue: %s: %w (stop it, or give this one another --data)", dir, ErrLocked)
		}
		return nil, fmt.Errorf("queue: lock %s: %w", dir, err)
	}
	return f, nil
}
