package treesitter

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// The C half declares tree-sitter's structs for itself. This walks the same trees through the official binding.
func TestFlatTreeAgreesWithBinding(t *testing.T) {
	paths, err := filepath.Glob("../pyast/testdata/*/*.py")
	if err != nil || len(paths) == 0 {
		t.Fatal(len(paths), err)
	}
	p, err := NewParser(Python())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	official := sitter.NewParser()
	defer official.Close()
	if err := official.SetLanguage(Python().lang); err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		src = append(src, "\n)x = (1 +\nclass :\n"...) // some ERROR and MISSING
		flat, err := p.Parse(context.Background(), src, time.Minute, 256<<20)
		if err != nil {
			t.Fatal(err)
		}
		tree := official.Parse(src, nil)
		i := 0
		var walk func(n *sitter.Node, field uint16)
		walk = func(n *sitter.Node, field uint16) {
			want := Node{Start: uint32(n.StartByte()), End: uint32(n.EndByte()), Symbol: n.KindId(), Field: uint8(field)}
			for bit, is := range map[uint8]bool{Named: n.IsNamed(), Missing: n.IsMissing(), Error: n.IsError(), Extra: n.IsExtra()} {
				if is {
					want.Flags |= bit
				}
			}
			at := i
			i++
			c := n.Walk()
			for more := c.GotoFirstChild(); more; more = c.GotoNextSibling() {
				walk(c.Node(), c.FieldId())
			}
			c.Close()
			want.Next = uint32(i)
			if flat[at] != want {
				t.Errorf("%s: node %d is %+v, want %+v", path, at, flat[at], want)
			}
		}
		walk(tree.RootNode(), 0)
		tree.Close()
		if i != len(flat) {
			t.Errorf("%s: %d nodes, want %d", path, len(flat), i)
		}
	}
}
