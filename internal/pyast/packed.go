package pyast

import (
	"context"

	"github.com/gatebot/gatebot/internal/treesitter"
)

// ParsePacked is Parse that also gives the tree in the short form of treesitter.Pack, from which Unpack makes the same
// module again without parsing. The short form is nil when there is none; it fits this build's grammar and no other.
func ParsePacked(ctx context.Context, path string, src []byte, lim Limits) (*Module, []byte, error) {
	return parsePacked(ctx, path, src, lim, nil)
}

func parsePacked(ctx context.Context, path string, src []byte, lim Limits, versions *treesitter.Versions) (*Module, []byte, error) {
	var packed []byte
	m, err := parseKeeping(ctx, path, src, lim, versions, func(nodes []treesitter.Node) { packed = treesitter.Pack(nodes) })
	return m, packed, err
}

// Unpack makes the module of src from the short form of its tree. It may be called from any number of goroutines.
// Damage is an error; that src is another file than the one that was parsed cannot be told.
func Unpack(path string, src, packed []byte, lim Limits) (*Module, error) {
	t, err := Open(path, src, packed, lim)
	if err != nil {
		return nil, err
	}
	return t.lowered(func(l *lowerer) *Module {
		l.outline = false
		return l.module()
	})
}
