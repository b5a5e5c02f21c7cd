package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// spool holds the results whose jobs are not known to be acknowledged, one file each: NAME.json before the queue has
// it, NAME.sent after.
type spool struct{ dir string }

// sentAge is how long a sent result waits for its job to come again. A job that somebody else acknowledged never does.
const sentAge = 48 * time.Hour

const (
	unsent = ".json"
	sent   = ".sent"
)

func openSpool(dir string) (*spool, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("runner: spool: %w", err)
	}
	return &spool{dir}, nil
}

// name of a job's file: ids hold whatever their makers like.
func (s *spool) name(jobID string) string {
	h := sha256.Sum256([]byte(jobID))
	return filepath.Join(s.dir, hex.EncodeToString(h[:16]))
}

// put returns when the result is on disk.
func (s *spool) put(res *queue.Result) error {
	data, err := json.Marshal(res)
	if err != nil {
		return err
	}
	return writeSynced(s.name(res.JobID)+unsent, data)
}

// find is nil when the job has no result here.
func (s *spool) find(jobID string) (*queue.Result, error) {
	for _, ext := range []string{unsent, sent} {
		if res, err := s.read(s.name(jobID) + ext); res != nil || err != nil {
			return res, err
		}
	}
	return nil, nil
}

// sent notes that the queue has the result.
func (s *spool) sent(res *queue.Result) error {
	err := os.Rename(s.name(res.JobID)+unsent, s.name(res.JobID)+sent)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("runner: spool: %w", err)
	}
	return nil // not synced: sent twice is stored once
}

func (s *spool) read(name string) (*queue.Result, error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("runner: spool: %w", err)
	}
	var res queue.Result
	if err := json.Unmarshal(data, &res); err != nil || res.JobID == "" {
		// Written in one step, so this is a broken disk or a foreign hand: the job simply runs again.
		return nil, os.Rename(name, name+".damaged")
	}
	return &res, nil
}

// list gives what is not sent yet. It also removes what is too old to matter, and what a crash left half written.
func (s *spool) list() ([]*queue.Result, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("runner: spool: %w", err)
	}
	var all []*queue.Result
	for _, e := range entries {
		name := filepath.Join(s.dir, e.Name())
		info, err := e.Info()
		if err != nil {
			return nil, fmt.Errorf("runner: spool: %w", err)
		}
		if filepath.Ext(name) != unsent {
			if filepath.Ext(name) != sent || time.Since(info.ModTime()) > sentAge {
				err = os.Remove(name)
			}
			if err != nil {
				return nil, fmt.Errorf("runner: spool: %w", err)
			}
			continue
		}
		res, err := s.read(name)
		if err != nil {
			return nil, err
		}
		if res != nil {
			all = append(all, res)
		}
	}
	return all, nil
}

func (s *spool) drop(res *queue.Result) error {
	for _, ext := range []string{unsent, sent} {
		if err := os.Remove(s.name(res.JobID) + ext); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("runner: spool: %w", err)
		}
	}
	return syncDir(s.dir)
}

// writeSynced puts data under name in one step and returns when a power cut would leave it there.
func writeSynced(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), "new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncDir(filepath.Dir(name))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
