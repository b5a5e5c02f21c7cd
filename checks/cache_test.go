package checks

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// treeTable are trees of another process.
type treeTable struct {
	mu    sync.Mutex
	trees map[TreeKey][]byte
	found int
}

func (t *treeTable) Tree(key TreeKey) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.trees[key] != nil {
		t.found++
	}
	return t.trees[key]
}

// TestTreesOfAnotherProcess: a tree that another process has parsed is opened, and one that is damaged is parsed again.
func TestTreesOfAnotherProcess(t *testing.T) {
	files := memory{}
	for p, text := range circle {
		files[p] = text
	}
	o := Options{Rules: []*Rule{everything}, Now: time.Unix(0, 0)}
	m := NewMemory()
	if _, err := m.Scan(context.Background(), blobs{files}, o); err != nil {
		t.Fatal(err)
	}
	whole, damaged := &treeTable{trees: map[TreeKey][]byte{}}, &treeTable{trees: map[TreeKey][]byte{}}
	m.EachTree(func(key TreeKey, tree []byte) {
		whole.trees[key] = tree
		damaged.trees[key] = tree[:len(tree)-1]
	})
	if len(whole.trees) != len(files) {
		t.Errorf("%d trees are at hand, want %d", len(whole.trees), len(files))
	}
	files["c.py"] = strings.Replace(files["c.py"], "(4, 4)", "(4, 4, device=\"cuda\")", 1)
	want := scanMemory(t, files, o)
	for name, stored := range map[string]*treeTable{"whole": whole, "damaged": damaged} {
		again := throughFile(t, m, o.Rules...)
		again.UseTrees(stored)
		got, err := again.Scan(context.Background(), blobs{files}, o)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s trees: differences:\n%s", name, d)
		}
		if stored.found == 0 {
			t.Errorf("%s trees: none was asked for", name)
		}
	}
}
