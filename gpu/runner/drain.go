package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// errDrained ends a runner that was asked to end after the job at hand.
var errDrained = errors.New("drained")

func drainName(work string) string { return filepath.Join(work, "drain") }

// Drain asks the runner of a work directory to finish the job at hand, to take no other, and to end. The next start takes
// jobs again.
func Drain(work string) error {
	if err := writeSynced(drainName(work), []byte(time.Now().UTC().Format(time.RFC3339)+"\n")); err != nil {
		return fmt.Errorf("runner: drain: %w", err)
	}
	return nil
}

// Ended waits until no runner uses a work directory, or for ctx.
func Ended(ctx context.Context, work string) error {
	for {
		w, err := openWorkDir(work)
		if err == nil {
			w.close()
			return undrain(work) // there is nobody to end
		}
		if !errors.Is(err, ErrBusy) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// undrain forgets that somebody asked: it was for a runner that is gone.
func undrain(work string) error {
	if err := os.Remove(drainName(work)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("runner: drain: %w", err)
	}
	return nil
}

func (r *runner) draining() bool { return exists(drainName(r.WorkDir)) }
