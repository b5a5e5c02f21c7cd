package pyast

import (
	"context"
	"fmt"

	"github.com/gatebot/gatebot/internal/treesitter"
)

// ParsePacked is Parse that also gives the tree in the short form of treesitter.Pack, from which Unpack makes the same
// module again without parsing. The short form is nil when there is none; it fits this build's grammar and no other.
func ParsePacked(ctx context.Context, path string, src []byte, lim Limits) (*Module, []byte, error) {
	var packed []byte
	m, err := parseKeeping(ctx, path, src, lim, func(nodes []treesitter.Node) { packed = treesitter.Pack(nodes) })
	return m, packed, err
}

// Unpack makes the module of src from the short form of its tree. It may be called from any number of goroutines.
// Damage
// is an error; that src is another file than the one that was parsed cannot be told.
func Unpack(path string, src, packed []byte, lim Limits) (m *Module, err error) {
	// The lowering trusts the grammar. A well-formed tree that no grammar has made is found out by what it breaks.
	defer func() {
		if r := recover(); r != nil {
			m, err = nil, fmt.Errorf("%s: the packed tree is none of this grammar: %v (parse it again)", path, r)
		}
	}()
	w, err := acquire()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer w.release()
	nodes, err := treesitter.Unpack(packed, len(src), w.unpacked)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(nodes) == 0 {
		return nil, fmt.Errorf("%s: the packed tree is empty (parse it again)", path)
	}
	if cap(nodes) <= keepNodes {
		w.unpacked = nodes
	}
	return w.lower(path, src, nodes, lim.MaxDepth), nil
}
