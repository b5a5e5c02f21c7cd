package gate

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gatebot/gatebot/gpu/device"
	"github.com/gatebot/gatebot/internal/finding"
)

// canaryFor is how long the word of a canary counts. What it rests on can change without our seeing it: a driver is
// reloaded, a card begins to fail.
const canaryFor = 10 * time.Minute

// canaryMemory remembers a pass, in a file of this user's: by device, driver, what is run and in which interpreter. Several
// checks that start at once wait for one canary. The zero value remembers nothing.
type canaryMemory struct{ file, key string }

// canaryMemory is none where jobs of strangers run: nothing that one job left may speak for the next.
func (r CheckRequest) canaryMemory(c device.CanaryRequest, all bool) canaryMemory {
	dir := os.Getenv(CacheEnv)
	if r.NoCache || dir == "off" || len(r.Wrap) > 0 || os.Getenv(device.EnvDisable) != "" || r.GPU != nil && r.CanaryDir == "" {
		return canaryMemory{}
	}
	if r.CanaryDir != "" {
		dir = r.CanaryDir
	}
	if dir == "" {
		var err error
		if dir, err = os.UserCacheDir(); err != nil {
			return canaryMemory{}
		}
		dir = filepath.Join(dir, "gatebot")
	}
	exe, _ := device.Find(c.Exe) // without one there is no device, and no canary
	dev := r.device
	parts := []string{dev.UUID, dev.Name, dev.Driver, dev.CUDA, os.Getenv("CUDA_VISIBLE_DEVICES"), fmt.Sprint(all), stamp(exe), c.Python,
		strings.Join(c.Env, "\x00"), os.Getenv("PATH"), os.Getenv("LD_LIBRARY_PATH"), os.Getenv("PYTHONPATH"), os.Getenv("VIRTUAL_ENV")}
	for _, see := range c.See {
		parts = append(parts, stamp(see))
	}
	key := fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(parts, "\x01"))))
	return canaryMemory{filepath.Join(dir, "canary", key[:32]+".json"), key}
}

// stamp changes when a file does.
func stamp(name string) string {
	info, err := os.Stat(name)
	if err != nil {
		return name
	}
	return fmt.Sprintf("%s %d %d", name, info.Size(), info.ModTime().UnixNano())
}

type sung struct {
	Key    string         `json:"key"`
	At     time.Time      `json:"at"`
	Report *device.Report `json:"report"`
}

// canary gives the remembered report with its age, or a new one. Whatever is wrong with the memory costs time alone.
func (m canaryMemory) canary(ctx context.Context, run func() (*device.Report, error)) (*device.Report, time.Duration, error) {
	if m.file == "" {
		rep, err := run()
		return rep, 0, err
	}
	unlock := m.lock(ctx)
	defer unlock()
	if rep, age, ok := m.read(); ok {
		return rep, age, nil
	}
	rep, err := run()
	if err == nil && rep.Status == finding.StatusPass {
		m.write(rep)
	}
	return rep, 0, err
}

func (m canaryMemory) read() (*device.Report, time.Duration, bool) {
	data, err := os.ReadFile(m.file)
	var s sung
	if err != nil || json.Unmarshal(data, &s) != nil || s.Key != m.key || s.Report == nil || s.Report.Status != finding.StatusPass {
		return nil, 0, false
	}
	age := time.Since(s.At)
	return s.Report, max(age, time.Millisecond), age >= 0 && age < canaryFor
}

// write replaces the file as a whole; one that cannot be written is not there the next time.
func (m canaryMemory) write(rep *device.Report) {
	data, err := json.Marshal(sung{m.key, time.Now(), rep})
	if err != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(m.file), "new-*")
	if err != nil {
		return
	}
	_, err = f.Write(data)
	if cerr := f.Close(); err != nil || cerr != nil || os.Rename(f.Name(), m.file) != nil {
		_ = os.Remove(f.Name())
	}
}

// lock waits for other checks that run the same canary. It gives up, and goes on without, when ctx ends or there is no
// place for a lock; its end with the process is the system's.
func (m canaryMemory) lock(ctx context.Context) (unlock func()) {
	none := func() {}
	if os.MkdirAll(filepath.Dir(m.file), 0o700) != nil {
		return none
	}
	f, err := os.OpenFile(m.file+".lock", os.O_CREATE|os.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return none
	}
	for unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		select {
		case <-ctx.Done():
			_ = f.Close()
			return none
		case <-time.After(50 * time.Millisecond):
		}
	}
	return func() { _ = f.Close() } // which gives the lock back
}
