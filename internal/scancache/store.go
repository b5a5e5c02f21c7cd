// Package scancache keeps what scans have found on disk, so that a tree that was looked at before is not looked at
// again. It is a help and nothing depends on it: an entry that is missing, damaged, cut off or written by another
// version is as good as none, and one that cannot be written is not. Entries are written under another name and
// renamed, so that runs side by side do each other no harm.
package scancache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gatebot/gatebot/checks"
)

// Schema is the version of an entry.
const Schema = "gatebot.scan-cache/v1"

// Bounds of the directory: a report of a tree like vLLM takes 2 MB.
const (
	maxEntries = 24
	maxBytes   = 64 << 20
	maxEntry   = 32 << 20
)

// Store is a directory of entries. A nil Store has none and keeps nothing.
type Store struct{ dir string }

// Open uses dir, which need not exist; "" is a nil Store.
func Open(dir string) *Store {
	if dir == "" {
		return nil
	}
	return &Store{dir}
}

// Get returns the report that was put under key.
func (s *Store) Get(key string) (*checks.Report, bool) {
	if s == nil || key == "" {
		return nil, false
	}
	name := s.file(key)
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxEntry+4096 {
		return nil, false
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, false
	}
	head, payload, ok := bytes.Cut(data, []byte("\n"))
	if !ok || string(head) != header(key, payload) {
		return nil, false
	}
	var rep checks.Report
	if json.Unmarshal(payload, &rep) != nil {
		return nil, false
	}
	now := time.Now()
	_ = os.Chtimes(name, now, now) // what is used stays; a directory of others may not allow it
	return &rep, true
}

// Put keeps rep under key. A report that another run may see differently is not kept.
func (s *Store) Put(key string, rep *checks.Report) error {
	if s == nil || key == "" || rep.Transient {
		return nil
	}
	payload, err := json.Marshal(rep)
	if err != nil {
		return fmt.Errorf("scan cache: %w", err)
	}
	if len(payload) > maxEntry {
		return nil
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return fmt.Errorf("scan cache: %w", err)
	}
	if err := replace(s.file(key), header(key, payload)+"\n", payload); err != nil {
		return fmt.Errorf("scan cache: %w", err)
	}
	s.prune()
	return nil
}

func (s *Store) file(key string) string {
	h := sha256.Sum256([]byte(Schema + "\x00" + key))
	return filepath.Join(s.dir, hex.EncodeToString(h[:16])+".scan")
}

func header(key string, payload []byte) string {
	h := sha256.New()
	h.Write([]byte(key)) // a hash never fails
	h.Write([]byte{0})
	h.Write(payload)
	return Schema + " " + hex.EncodeToString(h.Sum(nil))
}

func replace(name, head string, payload ...[]byte) error {
	return replaceWith(name, func(w io.Writer) error {
		_, err := io.WriteString(w, head)
		for _, p := range payload {
			if err == nil {
				_, err = w.Write(p)
			}
		}
		return err
	})
}

// replaceWith replaces a file in one step.
func replaceWith(name string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), tempPrefix+"*")
	if err != nil {
		return err
	}
	err = write(f)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

const (
	tempPrefix = ".tmp-"
	tempAge    = time.Hour // of a file that a killed run has left
)

// prune drops the entries that were not used for longest until the bounds hold.
func (s *Store) prune() {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	var all []os.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil: // another run was faster
		case strings.HasPrefix(e.Name(), tempPrefix):
			if time.Since(info.ModTime()) > tempAge {
				_ = os.Remove(filepath.Join(s.dir, e.Name()))
			}
		case strings.HasSuffix(e.Name(), ".scan"):
			all = append(all, info)
		}
	}
	slices.SortFunc(all, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	var bytes int64
	for i, info := range all {
		if bytes += info.Size(); i >= maxEntries || i > 0 && bytes > maxBytes {
			_ = os.Remove(filepath.Join(s.dir, info.Name()))
		}
	}
}
