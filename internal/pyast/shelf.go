package pyast

import (
	"context"
	"crypto/sha256"

	"github.com/gatebot/gatebot/internal/lru"
	"github.com/gatebot/gatebot/internal/treesitter"
)

// Shelf keeps short forms of trees by the source that they were parsed from, up to a number of bytes; those that were not
// asked for longest go first. A walk over a history meets the same text several times: as what a commit leaves, as what a
// later one starts from, and in the trees that are scanned whole. And it meets texts that differ in a few lines: from the tree
// of the version before, one is parsed in less than half of the time. A nil shelf keeps nothing. It may be used from any number
// of goroutines.
type Shelf struct {
	versions *treesitter.Versions
	trees    *lru.Cache[[sha256.Size]byte, []byte]
}

// NewShelf keeps up to that many bytes of short forms, and as many of memory outside Go as is said for trees from which other
// versions are parsed. It must be closed.
func NewShelf(bytes, versions int) *Shelf {
	return &Shelf{treesitter.NewVersions(versions), lru.New[[sha256.Size]byte, []byte](bytes, nil)}
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
	if packed, ok := s.trees.Get(key); ok {
		if m, err := Unpack(path, src, packed, lim); err == nil {
			return m, packed, nil
		}
	}
	m, packed, err := parsePacked(ctx, path, src, lim, s.versions)
	if err == nil && packed != nil {
		s.trees.Put(key, packed, len(packed))
	}
	return m, packed, err
}

// Packed is the short form alone, nil when it is not there.
func (s *Shelf) Packed(src []byte) []byte {
	if s == nil {
		return nil
	}
	packed, _ := s.trees.Get(sha256.Sum256(src))
	return packed
}
