package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// lockDirs is where runners of one host meet, whatever user each has.
var lockDirs = []string{"/run/lock", "/var/lock", "/tmp"}

// gpuLock holds one device for one job. The kernel lets go of it when the process dies.
type gpuLock []*os.File

// lockGPUs takes all devices of this runner or none; false means that another runner has one of them.
func (r *runner) lockGPUs() (gpuLock, bool, error) {
	var uuids []string
	for _, g := range r.machine.gpus {
		uuids = append(uuids, g.UUID)
	}
	slices.Sort(uuids) // two runners with the same two devices never wait for each other
	var l gpuLock
	for _, id := range uuids {
		f, err := openLock(r.lockDir(), id)
		if err != nil {
			l.release()
			return nil, false, fmt.Errorf("runner: lock of %s: %w", id, err)
		}
		l = append(l, f)
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			l.release()
			if errors.Is(err, unix.EWOULDBLOCK) {
				return nil, false, nil
			}
			return nil, false, fmt.Errorf("runner: lock of %s: %w", id, err)
		}
	}
	return l, true, nil
}

func (r *runner) lockDir() string {
	if r.LockDir != "" {
		return r.LockDir
	}
	for _, dir := range lockDirs {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
	}
	return os.TempDir()
}

// openLock opens before it creates: in a folder that everybody can write to, the kernel refuses to "create" another
// user's file.
func openLock(dir, uuid string) (*os.File, error) {
	name := filepath.Join(dir, "gatebot-"+strings.ReplaceAll(uuid, "/", "_")+".lock")
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = os.OpenFile(name, os.O_RDONLY|os.O_CREATE|unix.O_NOFOLLOW, 0o644)
	}
	return f, err
}

func (l gpuLock) release() {
	for _, f := range l {
		_ = f.Close() // the lock goes with it
	}
}
