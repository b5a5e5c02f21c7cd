package queue

import (
	"os"
	"path/filepath"
)

// writable reports whether a small file can be written and synced beside path.
func writable(path string) bool {
	f, err := os.CreateTemp(filepath.Dir(path), "probe-*")
	if err != nil {
		return false
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, werr := f.Write(make([]byte, 64<<10))
	serr := f.Sync()
	cerr := f.Close()
	return werr == nil && serr == nil && cerr == nil
}
