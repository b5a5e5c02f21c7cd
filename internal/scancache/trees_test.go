package scancache

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/gatebot/gatebot/checks"
)

// remembered is a memory that has the tree of one file at hand.
func remembered(t *testing.T) (*checks.Memory, checks.TreeKey, []byte) {
	t.Helper()
	m := checks.NewMemory()
	if _, err := m.Scan(context.Background(), one{}, checks.Options{Rules: []*checks.Rule{{ID: "GB101"}}}); err != nil {
		t.Fatal(err)
	}
	var key checks.TreeKey
	var tree []byte
	m.EachTree(func(k checks.TreeKey, data []byte) { key, tree = k, slices.Clone(data) })
	if len(tree) == 0 {
		t.Fatal("the scan has no tree at hand")
	}
	return m, key, tree
}

// TestTrees: a tree that was kept is found by another process, and by one that adds more.
func TestTrees(t *testing.T) {
	s := Open(t.TempDir())
	m, key, tree := remembered(t)
	if err := s.PutMemory("r", m); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := s.trees("r").Tree(key); !bytes.Equal(got, tree) {
			t.Errorf("found %d bytes; want the %d that were kept", len(got), len(tree))
		}
		again, _, _ := remembered(t)
		if err := s.PutMemory("r", again); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.trees("other").Tree(key); got != nil {
		t.Error("other rules find the tree too")
	}
}

// TestTreesDamaged: what is damaged or cut off is not found and ends nothing, and what is kept next is found.
func TestTreesDamaged(t *testing.T) {
	s := Open(t.TempDir())
	m, key, tree := remembered(t)
	if err := s.PutMemory("r", m); err != nil {
		t.Fatal(err)
	}
	name := s.trees("r").name
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for at := range whole {
		bad := slices.Clone(whole)
		bad[at] ^= 1
		for _, data := range [][]byte{bad, whole[:at]} {
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if got := s.trees("r").Tree(key); got != nil {
				t.Fatalf("byte %d of %d: a damaged file gave a tree", at, len(data))
			}
		}
	}
	for _, data := range [][]byte{whole[:len(whole)-3], whole[:5], {}} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		again, _, _ := remembered(t)
		if err := s.PutMemory("r", again); err != nil {
			t.Fatal(err)
		}
		if got := s.trees("r").Tree(key); !bytes.Equal(got, tree) {
			t.Errorf("after a file of %d bytes: found %d bytes; want %d", len(data), len(got), len(tree))
		}
	}
}

// TestTreesSideBySide: processes that keep trees at once leave a file in which each finds what was kept.
func TestTreesSideBySide(t *testing.T) {
	s := Open(t.TempDir())
	_, key, tree := remembered(t)
	var g sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		m, _, _ := remembered(t)
		g.Go(func() { errs[i] = s.PutMemory("r", m) })
	}
	g.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if got := s.trees("r").Tree(key); !bytes.Equal(got, tree) {
		t.Errorf("found %d bytes; want %d", len(got), len(tree))
	}
}
