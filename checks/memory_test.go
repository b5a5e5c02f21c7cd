package checks

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// blobs is a Source whose files have content ids, as the tree of a commit has.
type blobs struct{ memory }

func (b blobs) Files(ctx context.Context) ([]File, error) {
	files, err := b.memory.Files(ctx)
	for i := range files {
		files[i].ID = fmt.Sprintf("%x", digestOf([]byte(b.memory[files[i].Path])))
	}
	return files, err
}

// history makes trees that differ as commits do. The same seed gives the same trees.
type history struct {
	rnd   *rand.Rand
	tree  memory
	past  []memory
	names int
}

var identifier = regexp.MustCompile(`[A-Za-z_]\w+`)

// next changes a tree in one of the ways that matter to what is remembered: text that moves, names that change what they
// mean, files that come and go, and a step back.
func (h *history) next() {
	h.past = append(h.past, maps.Clone(h.tree))
	for range 1 + h.rnd.IntN(3) {
		paths := sortedKeys(h.tree)
		file := paths[h.rnd.IntN(len(paths))]
		lines := strings.Split(h.tree[file], "\n")
		at := h.rnd.IntN(len(lines))
		switch h.rnd.IntN(10) {
		case 0: // everything below moves
			lines = slices.Insert(lines, 0, "# moved", "")
		case 1:
			lines = slices.Insert(lines, at, "# "+lines[at])
		case 2, 3: // a definition, a store or an import goes, or the block around it breaks
			lines = slices.Delete(lines, at, at+1)
		case 4, 5: // one name becomes another one of the file
			words := identifier.FindAllString(h.tree[file], -1)
			if len(words) == 0 {
				continue
			}
			line := identifier.ReplaceAllStringFunc(lines[at], func(w string) string {
				if h.rnd.IntN(3) > 0 {
					return w
				}
				return words[h.rnd.IntN(len(words))]
			})
			lines[at] = line
		case 6: // a copy of the file, in a package or beside it
			h.names++
			h.tree[fmt.Sprintf("pkg%d/copy%d.py", h.rnd.IntN(3), h.names)] = h.tree[file]
			if h.rnd.IntN(2) == 0 {
				h.tree[fmt.Sprintf("pkg%d/__init__.py", h.rnd.IntN(3))] = "from ." + strings.TrimSuffix(path.Base(file), ".py") + " import *\n"
			}
			continue
		case 7:
			if len(paths) > 6 {
				delete(h.tree, file)
			}
			continue
		case 8: // the same text under another name
			h.names++
			h.tree[fmt.Sprintf("moved%d.py", h.names)] = h.tree[file]
			delete(h.tree, file)
			continue
		case 9:
			h.tree = maps.Clone(h.past[h.rnd.IntN(len(h.past))])
			continue
		}
		h.tree[file] = strings.Join(lines, "\n")
	}
}

// TestMemory: a scan that remembers gives what a scan that does not gives, over histories of many trees.
func TestMemory(t *testing.T) {
	start := func() memory {
		files := memory{}
		for _, dir := range []string{"testdata/infer", "testdata/guards"} {
			for p, text := range readDir(t, dir) {
				files[p] = text
			}
		}
		files["pkg/__init__.py"] = "from .base import Base\nLIMIT = 4\n"
		files["pkg/base.py"] = "import torch\nfrom torch import nn\n\n\nclass Base(nn.Module):\n    scale: torch.Tensor\n\n" +
			"    def __init__(self):\n        self.table = torch.zeros(4, device=\"cuda\")\n\n    def pick(self, x):\n" +
			"        return x[self.table]\n\n    def forward(self, x):\n        return self.pick(x)\n"
		files["model.py"] = "import torch\nfrom pkg import Base, LIMIT\n\n\nclass Model(Base):\n    def __init__(self):\n" +
			"        super().__init__()\n        self.inner = Base()\n\n    def forward(self, x):\n        y = self.inner(x)\n" +
			"        if y.sum() > LIMIT:\n            return self.pick(y)\n        return super().forward(y).item()\n"
		return files
	}
	const trees = 36
	opts := []Options{{Rules: []*Rule{everything}}, {Rules: []*Rule{everything}, AllFunctions: true},
		{Rules: []*Rule{unresolved("mark")}, Guards: []string{"VERBOSE"}}}
	for seed := range uint64(3) {
		h := &history{rnd: rand.New(rand.NewPCG(seed, 7)), tree: start()}
		m := NewMemory()
		found := 0
		for n := range trees {
			o := opts[int(seed)]
			o.Now = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
			want, err := Scan(context.Background(), blobs{h.tree}, o)
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.Scan(context.Background(), blobs{h.tree}, o)
			if err != nil {
				t.Fatal(err)
			}
			found += len(want.Findings)
			if n%4 == 3 { // saved, and in every other case the next tree is scanned by another process
				saved, err := LoadMemory(bytes.Join(m.Save(), nil), nil, o.Rules)
				if err != nil {
					t.Fatal(err)
				}
				if n%8 == 7 {
					m = saved
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("seed %d, tree %d: without memory and with it differ:\n%.4000s", seed, n, d)
			}
			h.next()
		}
		if found < trees {
			t.Errorf("seed %d: %d findings in %d trees: the history shows too little", seed, found, trees)
		}
	}
}

// FuzzLoadMemory: a file that is not a memory is an error.
func FuzzLoadMemory(f *testing.F) {
	m := NewMemory()
	o := Options{Rules: []*Rule{everything}, Now: time.Unix(0, 0)}
	if _, err := m.Scan(context.Background(), blobs{memory{"a.py": "def step(x):\n    return x.item()\n"}}, o); err != nil {
		f.Fatal(err)
	}
	f.Add(bytes.Join(m.Save(), nil))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := LoadMemory(data, nil, o.Rules); err == nil {
			m.Save()
		}
	})
}

// TestMemoryCutOff: a memory whose end is missing knows nothing of tasks, one of which less is there, or that is not what was
// written, knows nothing, and a scan with it gives what any other gives.
func TestMemoryCutOff(t *testing.T) {
	files := readDir(t, "testdata/infer")
	o := Options{Rules: []*Rule{everything}, Now: time.Unix(0, 0)}
	m := NewMemory()
	want, err := m.Scan(context.Background(), blobs{files}, o)
	if err != nil {
		t.Fatal(err)
	}
	data := bytes.Join(m.Save(), nil)
	empty := bytes.Join(NewMemory().Save(), nil)
	yes, no := func() bool { return true }, func() bool { return false }
	for _, c := range []struct {
		size  int
		whole func() bool
		knows bool // of files
	}{{len(data), yes, true}, {len(data) - 1, nil, true}, {len(data) / 4, yes, false}, {len(data), no, false}} {
		if m, err = LoadMemory(data[:c.size], c.whole, o.Rules); err != nil {
			t.Fatal(err)
		}
		if knows := !bytes.Equal(bytes.Join(m.Save(), nil), empty); knows != c.knows {
			t.Errorf("%d of %d bytes: something is known: %t", c.size, len(data), knows)
		}
		if m, err = LoadMemory(data[:c.size], c.whole, o.Rules); err != nil {
			t.Fatal(err)
		}
		got, err := m.Scan(context.Background(), blobs{files}, o)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" || len(want.Findings) == 0 {
			t.Errorf("%d of %d bytes: %d findings, differences:\n%s", c.size, len(data), len(want.Findings), d)
		}
	}
	if _, err = LoadMemory(data[:len(memoryFormat)+1], nil, o.Rules); err == nil {
		t.Error("the beginning of a memory was read without an error")
	}
}

// unread is a Source that must not be asked for content.
type unreadBlobs struct {
	blobs
	t *testing.T
}

func (u unreadBlobs) Read(_ context.Context, f File) ([]byte, error) {
	u.t.Errorf("%s is read again", f.Path)
	return nil, errMemory
}

// TestMemoryInAnotherProcess: a tree that was scanned is not read again, and a change reads what changed.
func TestMemoryInAnotherProcess(t *testing.T) {
	files := readDir(t, "testdata/infer")
	files["ops.cu"] = "#include <torch/all.h>\nvoid run(torch::Tensor& x) { cudaDeviceSynchronize(); x.item(); }\n"
	o := Options{Rules: []*Rule{everything}, Now: time.Unix(0, 0)}
	m := NewMemory()
	want, err := m.Scan(context.Background(), blobs{files}, o)
	if err != nil {
		t.Fatal(err)
	}
	if m, err = LoadMemory(bytes.Join(m.Save(), nil), nil, o.Rules); err != nil {
		t.Fatal(err)
	}
	got, err := m.Scan(context.Background(), unreadBlobs{blobs{files}, t}, o)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" || len(want.Findings) == 0 {
		t.Errorf("%d findings, differences:\n%s", len(want.Findings), d)
	}
}
