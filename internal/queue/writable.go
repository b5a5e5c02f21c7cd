package queue

import (
	"errors"
	"os"
	"path/filepath"
)

// writable writes and syncs 1 MiB beside path and removes it again.
func writable(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), "probe-*")
	if err != nil {
		return err
	}
	_, werr := f.Write(make([]byte, 1<<20))
	return errors.Join(werr, f.Sync(), f.Close(), os.Remove(f.Name()))
}
