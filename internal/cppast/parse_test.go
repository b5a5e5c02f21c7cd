package cppast

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
)

func parse(t testing.TB, path, src string) *File {
	t.Helper()
	limits := DefaultLimits
	limits.Timeout = 5 * time.Minute // a machine may stand still for a while
	f, err := Parse(context.Background(), path, []byte(src), limits)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestErrorsAreTypedAndNameTheFile(t *testing.T) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancelLate := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancelLate()
	noise := garbage(200 << 10)
	for name, tt := range map[string]struct {
		ctx  context.Context
		src  []byte
		lim  Limits
		want error
	}{
		"too large":       {context.Background(), make([]byte, 101), Limits{100, time.Minute, 1 << 30, 10}, ErrTooLarge},
		"too long":        {context.Background(), noise, Limits{1 << 20, time.Millisecond, 1 << 30, 10}, ErrDeadline},
		"too much memory": {context.Background(), bytes.Repeat([]byte("{"), 1<<20), Limits{1 << 20, time.Minute, 16 << 20, 10}, ErrTooLarge},
		"canceled":        {gone, noise, DefaultLimits, context.Canceled},
		"late":            {late, noise, DefaultLimits, context.DeadlineExceeded},
	} {
		f, err := Parse(tt.ctx, "dir/file.cu", tt.src, tt.lim)
		if f != nil || !errors.Is(err, tt.want) || !strings.HasPrefix(fmt.Sprint(err), "dir/file.cu: ") {
			t.Errorf("%s: file %v, error %v, want %v", name, f != nil, err, tt.want)
		}
	}
}

func garbage(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	const letters = "([{}]):;,.'\"\n\t abcdef=+*&<>#\\\x00\xff"
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
	return b
}

// Nesting must end in an error of the file and not in a stack overflow, which Go cannot recover from.
func TestDeepNesting(t *testing.T) {
	const n = 100_000
	for name, src := range map[string]string{
		"parentheses": "void f() { x = " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n) + "; }",
		"blocks":      "void f() { " + strings.Repeat("{", n) + strings.Repeat("}", n) + "}",
		"namespaces":  strings.Repeat("namespace a {", n) + strings.Repeat("}", n),
		"calls":       "void f() { x" + strings.Repeat("()", n) + "; }",
		"members":     "void f() { x" + strings.Repeat(".x", n) + "; }",
		"sums":        "void f() { x" + strings.Repeat("+x", n) + "; }",
		"conditions":  strings.Repeat("#if A\n", n) + "void f() {}\n" + strings.Repeat("#endif\n", n),
		"elif":        "#if A\n" + strings.Repeat("#elif B\n", n) + "#endif\n",
		"else if":     "void f() { if (a) b(); " + strings.Repeat("else if (a) b(); ", n) + "}",
		"pointers":    "void f() { int " + strings.Repeat("*", n) + "x; }",
		"qualified":   "void f() { " + strings.Repeat("a::", n) + "b(); }",
	} {
		f, err := Parse(context.Background(), name+".cu", []byte(src), DefaultLimits)
		if err != nil {
			if !errors.Is(err, ErrDeadline) && !errors.Is(err, ErrTooLarge) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		for _, fn := range f.Funcs {
			if d := depth(fn); d > 2*DefaultLimits.MaxDepth {
				t.Errorf("%s: the result is %d deep", name, d)
			}
		}
	}
}

func depth(n Node) int {
	deepest := 0
	Children(n, func(c Node) { deepest = max(deepest, depth(c)) })
	return deepest + 1
}

func TestConcurrentUse(t *testing.T) {
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			for i := range 20 {
				name := fmt.Sprintf("name_%d_%d", g, i)
				path := []string{"a.cu", "a.cpp"}[i%2]
				f, err := Parse(context.Background(), path, fmt.Appendf(nil, "int %s(int x) { return x; }", name), DefaultLimits)
				if err != nil {
					t.Error(err)
					return
				}
				if len(f.Funcs) != 1 || f.Funcs[0].Name != name {
					t.Errorf("%s: %d functions", name, len(f.Funcs))
				}
			}
		})
	}
	group.Wait()
}

// The grammar of plain C++ is enough for a header without CUDA, and does not do for one with launches.
func TestHeadersWithLaunchesAreCUDA(t *testing.T) {
	for _, path := range []string{"a.h", "a.hpp", "a.cuh", "a.cpp"} {
		f := parse(t, path, "void f() { k<<<1, 2, 0, s>>>(x); }")
		if len(f.Errors) != 0 || dump(f.Funcs[0].Body) != "[(ExprStmt (Call k args [x] config [1 2 0 s]))]" {
			t.Errorf("%s: %v %s", path, f.Errors, dump(f.Funcs[0].Body))
		}
	}
	if dialectOf("a.h", []byte("int f();")) != plain || dialectOf("a.CU", nil) != cuda {
		t.Error("the wrong grammar was picked")
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"void f() { k<<<1, 2>>>(x); }", "#define M(x) cuda(x); /* y */ \\\n k<<<1>>>()\n", "struct A { ~A() { f(); } };",
		"#if A\nvoid f() {\n#else\nvoid g() {\n#endif\n}", "template <class T> auto A<T>::f() -> int { return [&] __device__ (int i) { return i; }(1); }"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		lim := DefaultLimits
		lim.Timeout = 2 * time.Second
		file, err := Parse(context.Background(), "fuzz.cu", src, lim)
		if err != nil {
			return
		}
		for _, fn := range file.Funcs {
			Walk(fn, func(n Node) bool {
				s := n.Pos()
				if s.Off > s.EndOff || int(s.EndOff) > len(src) {
					t.Fatalf("%T lies at %d to %d of %d bytes", n, s.Off, s.EndOff, len(src))
				}
				return true
			})
		}
		Tokens(src)
	})
}
