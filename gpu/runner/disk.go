package runner

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"time"
)

// diskEvery is how often a job's folders are measured; much more than its limit does not fit into that time.
const diskEvery = 2 * time.Second

// watchDisk says once when a job has written more than it may. What it writes into memory counts as memory.
func (r *runner) watchDisk(attempt string) (full <-chan string, stop func()) {
	c, done := make(chan string, 1), make(chan struct{})
	go func() {
		tick := time.NewTicker(diskEvery)
		defer tick.Stop()
		start := used(attempt)
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if n := used(attempt) - start; n > r.Sandbox.Disk {
				c <- fmt.Sprintf("the job wrote %d MiB to disk, %d are allowed", n>>20, r.Sandbox.Disk>>20)
				return
			}
		}
	}()
	return c, func() { close(done) }
}

// used is what lies below a folder, in blocks that are taken. What goes away meanwhile does not count.
func used(dir string) int64 {
	var n int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be looked into is counted when it can be
		}
		if info, err := d.Info(); err == nil {
			n += blocks(info)
		}
		return nil
	})
	return n
}
