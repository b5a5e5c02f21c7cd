package pyast

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTreeIsModule: every function, class and lambda asked for alone is what the whole module has there.
func TestTreeIsModule(t *testing.T) {
	files, err := filepath.Glob("../../checks/gb*/testdata/*.py")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d fixtures: %v", len(files), err)
	}
	sources := map[string]string{"odd.py": "@a\n@b(1)\nclass C(B):\n    x: int = 1\n\n    @property\n    def é(self): return lambda q: q\n\n" +
		"    class D:\n        @staticmethod\n        async def g(*, k=lambda: 0):\n            def h(): pass\n            return h\n"}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sources[name] = string(data)
	}
	all := cmp.Exporter(func(reflect.Type) bool { return true })
	funcs, classes, lambdas := 0, 0, 0
	for name, text := range sources {
		m, packed, err := ParsePacked(t.Context(), name, []byte(text), patient)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := Open(name, []byte(text), packed, patient)
		if err != nil {
			t.Fatal(err)
		}
		outline, err := tree.Outline()
		if err != nil || len(outline.Body) != len(m.Body) {
			t.Errorf("%s: outline of %d statements, want %d: %v", name, len(outline.Body), len(m.Body), err)
		}
		Walk(m, func(n Node) bool {
			switch n := n.(type) {
			case *FuncDef:
				funcs++
				if got, err := tree.Func(n.Off); err != nil || !cmp.Equal(n, got, all) {
					t.Errorf("%s:%d: %v, differs: %s", name, n.Start.Line, err, cmp.Diff(n, got, all))
				}
			case *ClassDef:
				classes++
				got, err := tree.Class(n.Off)
				if err != nil || got == nil || got.Name != n.Name || len(got.Body) != len(n.Body) || !cmp.Equal(n.Decorators, got.Decorators, all) {
					t.Errorf("%s:%d: class %v: %v", name, n.Start.Line, got, err)
				}
			case *Lambda:
				lambdas++
				if got, err := tree.Lambda(n.Off); err != nil || !cmp.Equal(n, got, all) {
					t.Errorf("%s:%d: %v, differs: %s", name, n.Start.Line, err, cmp.Diff(n, got, all))
				}
			}
			return true
		})
		if f, err := tree.Func(uint32(len(text))); f != nil || err != nil {
			t.Errorf("%s: a function behind the end: %v, %v", name, f, err)
		}
	}
	if funcs < 50 || classes < 20 || lambdas < 2 {
		t.Errorf("only %d functions, %d classes, %d lambdas compared", funcs, classes, lambdas)
	}
}
