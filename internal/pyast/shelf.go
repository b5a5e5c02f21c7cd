package pyast

import (
	"container/list"
	"context"
	"crypto/sha256"
	"sync"

	"github.com/gatebot/gatebot/internal/treesitter"
)

// Shelf keeps short forms of trees by the source that they were parsed from, up to a number of bytes; those that were not
// asked for longest go first. A walk over a history meets the same text several times: as what a commit leaves, as what a
// later one starts from, and in the trees that are scanned whole. And it meets texts that differ in a few lines: from the tree
// of the version before, one is parsed in less than half of the time. A nil shelf keeps nothing. It may be used from any number
// of goroutines.
type Shelf struct {
	versions *treesitter.Versions
	mu       sync.Mutex
	room     int // in bytes
	used     int
	trees    map[[sha256.Size]byte]*list.Element
	recent   *list.List // of *shelved, the last one first
}

type shelved struct {
	key    [sha256.Size]byte
	packed []byte
}

// NewShelf keeps up to that many bytes of short forms, and as many of memory outside Go as is said for trees from which other
// versions are parsed. It must be closed.
func NewShelf(bytes, versions int) *Shelf {
	return &Shelf{versions: treesitter.NewVersions(versions), room: bytes, trees: map[[sha256.Size]byte]*list.Element{}, recent: list.New()}
}

// Close gives back what is not Go's memory. What is parsed afterwards is parsed from nothing.
func (s *Shelf) Close() {
	if s != nil {
		s.versions.Close()
	}
}

// Parse is ParsePacked, or what it gave for the same source.
func (s *Shelf) Parse(ctx context.Context, path string, src []byte, lim Limits) (*Module, []byte, error) {
	if s == nil || len(src) > lim.MaxBytes || ctx.Err() != nil {
		return ParsePacked(ctx, path, src, lim)
	}
	key := sha256.Sum256(src)
	if packed := s.get(key); packed != nil {
		if m, err := Unpack(path, src, packed, lim); err == nil {
			return m, packed, nil
		}
	}
	m, packed, err := parsePacked(ctx, path, src, lim, s.versions)
	if err == nil && packed != nil {
		s.put(key, packed)
	}
	return m, packed, err
}

// Packed is the short form alone, nil when it is not there.
func (s *Shelf) Packed(src []byte) []byte {
	if s == nil {
		return nil
	}
	return s.get(sha256.Sum256(src))
}

func (s *Shelf) get(key [sha256.Size]byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.trees[key]
	if e == nil {
		return nil
	}
	s.recent.MoveToFront(e)
	return e.Value.(*shelved).packed //nolint:forcetypeassert // nothing else is put there
}

func (s *Shelf) put(key [sha256.Size]byte, packed []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.trees[key] != nil || len(packed) > s.room {
		return // parsed twice side by side, or larger than all of the shelf
	}
	s.trees[key] = s.recent.PushFront(&shelved{key, packed})
	s.used += len(packed)
	for s.used > s.room {
		last := s.recent.Remove(s.recent.Back()).(*shelved) //nolint:forcetypeassert // as above
		delete(s.trees, last.key)
		s.used -= len(last.packed)
	}
}
