package gate

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/scancache"
)

// CacheEnv names the directory of the scan cache instead of the usual one; "off" is the same as --no-cache.
const CacheEnv = "GATEBOT_CACHE"

// openCache finds the cache: in the common git directory, which all worktrees of a clone share, and outside any
// repository in the user's cache directory.
func openCache(r Request, repo git.Repository) *scancache.Store {
	switch dir := os.Getenv(CacheEnv); {
	case r.NoCache || dir == "off":
		return nil
	case dir != "":
		return scancache.Open(dir)
	case repo != nil && repo.CommonDir() != "":
		return scancache.Open(filepath.Join(repo.CommonDir(), "gatebot", "cache", "scan"))
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	return scancache.Open(filepath.Join(dir, "gatebot", "scan"))
}

// scan is checks.Scan, or what it gave for the same files, options and rules before. A working tree that changes
// while it is scanned is not remembered.
func (t *target) scan(ctx context.Context, src checks.Source, opts checks.Options) (*checks.Report, error) {
	cache := t.cache
	if cache == nil {
		if t.memory != nil {
			return t.memory.Scan(ctx, src, opts)
		}
		return checks.Scan(ctx, src, opts)
	}
	files, err := src.Files(ctx)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	opts.Now = now
	key := scancache.Key(files, opts, Tool().Rules, now)
	if rep, ok := cache.Get(key); ok {
		return rep, nil
	}
	if t.memory == nil {
		t.memory = remembered(cache, opts.Rules)
	}
	rep, err := t.memory.Scan(ctx, listed{src, files}, opts)
	if err != nil {
		return rep, err
	}
	if !sameFiles(ctx, src, files) {
		t.memory = nil // it may have read another content under the id of what was listed
		return rep, nil
	}
	// A full or read-only disk costs the next run its time and nothing else.
	_ = cache.Put(key, rep)
	keep(cache, t.memory)
	return rep, nil
}

// heapOfMemory is how many bytes of heap a scan fills for each that a memory takes on disk.
const heapOfMemory = 6

// remembered is the memory of the scans before this one.
func remembered(cache *scancache.Store, rules []*checks.Rule) *checks.Memory {
	largePages(heapOfMemory * cache.MemorySize(Tool().Rules))
	return cache.Memory(Tool().Rules, rules)
}

// sameFiles reports whether src still has the same files.
func sameFiles(ctx context.Context, src checks.Source, files []checks.File) bool {
	again, err := src.Files(ctx)
	return err == nil && slices.Equal(again, files)
}

// worthKeeping is the time that another process must be able to save before a memory is written: that takes a part of it.
// Tests have less time.
var worthKeeping = time.Second / 2

func keep(cache *scancache.Store, m *checks.Memory) {
	if m.Spent() > worthKeeping {
		_ = cache.PutMemory(Tool().Rules, m)
	}
}

// listed is a source whose files are known.
type listed struct {
	checks.Source
	files []checks.File
}

func (l listed) Files(context.Context) ([]checks.File, error) { return l.files, nil }
