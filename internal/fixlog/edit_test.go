package fixlog

import (
	"strings"
	"testing"
)

// FuzzCut: whatever a commit makes of a file, every line keeps its number, and what is compared with itself lost and
// gained nothing.
func FuzzCut(fz *testing.F) {
	fz.Add("m.py", "class A:\n    def f(self):  # x\n        \"\"\"Text.\"\"\"\n        return y .item( )\n")
	fz.Add("k.cu", "int f() { return a / b; } // '\"\n")
	fz.Add("m.py", "def f(:\n\x00\xff\n  def\r\n")
	fz.Fuzz(func(t *testing.T, path, text string) {
		s := cut(t.Context(), nil, path, []byte(text))
		if n := strings.Count(text, "\n") + 1; len(s.lines) != n || len(s.function) != n {
			t.Fatalf("%d lines, %d functions of %d", len(s.lines), len(s.function), n)
		}
		e := &edit{was: s, is: cut(t.Context(), nil, path, []byte(text))}
		e.compare()
		if len(e.gone) > 0 || len(e.added) > 0 {
			t.Fatalf("lost %v, gained %v", e.gone, e.added)
		}
	})
}

// TestNativeFunctionGoesAway: a C++ file is one piece; whether a function of it is still there its name says.
func TestNativeFunctionGoesAway(t *testing.T) {
	e := &edit{was: cut(t.Context(), nil, "k.cu", []byte("void vllm::copy(Tensor x) {\n  x.item();\n}\nvoid keep();\n")),
		is: cut(t.Context(), nil, "k.cu", []byte("void keep();\nvoid copy_all();\n"))}
	for name, want := range map[string]bool{"vllm::copy": true, "copy": true, "keep": false, "": false, "never": false} {
		if got := e.noMore(name); got != want {
			t.Errorf("%q: %t", name, got)
		}
	}
}

// TestOperatorGoesAway: the name of a C++ operator is no expression. The log once ended on operator[].
func TestOperatorGoesAway(t *testing.T) {
	was, is := "float Box::operator[](int i) {\n  return t.item();\n}\n", "void keep();\n"
	e := &edit{was: cut(t.Context(), nil, "k.cu", []byte(was)), is: cut(t.Context(), nil, "k.cu", []byte(is))}
	py := &edit{was: cut(t.Context(), nil, "m.py", []byte("def run(x):\n    operator[](x)\n")), is: cut(t.Context(), nil, "m.py", []byte("def run(x):\n    pass\n"))}
	if name := "Box::operator[]"; !e.noMore(name) || !callTakenOut(name, map[string]*edit{"k.cu": e, "m.py": py}) {
		t.Errorf("%s: went away %t", name, e.noMore(name))
	}
}
