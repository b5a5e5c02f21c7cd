package checks

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/internal/pyast"
)

// TestUnitsOfALook: what a look keeps of the functions that it has indexed is what is lowered from the short form, and its
// report is that of any scan of these files.
func TestUnitsOfALook(t *testing.T) {
	paths, err := filepath.Glob("gb*/testdata/*.py")
	if err != nil || len(paths) < 10 {
		t.Fatal(paths, err)
	}
	files := memory{"nested.py": "@d(1)\n@e\nclass A:\n    @d\n    async def f(self, x=lambda y: y):\n        def g(z):\n" +
		"            class B:\n                def h(self): return x.item()\n            return B\n        return g  # end\n\ndef broken(:\n    pass\n"}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[path] = string(src)
	}
	o := Options{Rules: []*Rule{everything}, Now: time.Unix(0, 0), AllFunctions: true}
	want := scanMemory(t, files, o)
	o.Shelf = pyast.NewShelf(1<<20, 1<<20)
	defer o.Shelf.Close()
	for range 2 { // parsed, and from the shelf
		if d := cmp.Diff(want, scanMemory(t, files, o)); d != "" {
			t.Fatalf("-any scan +a look\n%s", d)
		}
	}
	o.setDefaults()
	p := &project{src: blobs{files}, opts: &o, byPath: map[string]*module{}}
	p.trees = newTreeCache(p)
	p.trees.limit = 1 << 40
	listed, err := p.src.Files(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range listed {
		m, _, err := p.indexOne(context.Background(), f)
		if err != nil {
			t.Fatal(err)
		}
		u := p.trees.units[m]
		if u == nil {
			t.Errorf("%s: its tree is not kept", f.Path)
			continue
		}
		for _, fn := range m.all {
			kept := u.funcs[fn]
			if lowered, err := u.syntax.Func(fn.off); err != nil || kept == nil || !reflect.DeepEqual(kept, lowered) {
				t.Errorf("%s: %s is %v of the index and %v of the short form, %v", f.Path, fn.Name, kept, lowered, err)
			}
			n++
		}
	}
	if n < 100 {
		t.Errorf("%d functions were compared", n)
	}
}
