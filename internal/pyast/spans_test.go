package pyast

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
	"unicode/utf8"
)

// checkSpans checks what every reader relies on: places lie in the file, children lie in their parents, a line and a
// column say the same as the offset.
func checkSpans(t testing.TB, m *Module) {
	t.Helper()
	var check func(n Node, lo, hi uint32)
	check = func(n Node, lo, hi uint32) {
		s := n.Pos()
		if s.Off < lo || s.EndOff > hi || s.Off > s.EndOff {
			t.Errorf("%T at %v is outside [%d, %d)", n, s, lo, hi)
		}
		checkPlace(t, m, s)
		decorators := map[Node]bool{} // they stand before the span of what they decorate
		switch n := n.(type) {
		case *FuncDef:
			for _, d := range n.Decorators {
				decorators[d] = true
			}
		case *ClassDef:
			for _, d := range n.Decorators {
				decorators[d] = true
			}
		}
		Children(n, func(c Node) {
			if decorators[c] {
				check(c, lo, s.Off)
				return
			}
			check(c, s.Off, s.EndOff)
		})
	}
	check(m, 0, uint32(len(m.Source)))
	for _, c := range m.Comments {
		checkPlace(t, m, c.Span)
		if m.Source[c.Off] != '#' || bytes.ContainsAny(m.Source[c.Off:c.EndOff], "\n") {
			t.Errorf("comment %q", m.Text(c))
		}
	}
	for _, e := range m.Errors {
		checkPlace(t, m, e.Span)
		if e.Message == "" {
			t.Errorf("an error without a message at %v", e.Span)
		}
	}
}

func checkPlace(t testing.TB, m *Module, s Span) {
	t.Helper()
	if int(s.EndOff) > len(m.Source) {
		t.Fatalf("%v lies behind the end of the file (%d)", s, len(m.Source))
	}
	if len(m.Source) > 2000 { // the slow way is quadratic
		return
	}
	if want := placeOf(m.Source, s.Off); s.Start != want {
		t.Errorf("offset %d is at %v, want %v", s.Off, s.Start, want)
	}
	if want := placeOf(m.Source, s.EndOff); s.End != want {
		t.Errorf("offset %d is at %v, want %v", s.EndOff, s.End, want)
	}
}

// placeOf counts from the start of the file.
func placeOf(src []byte, off uint32) Pos {
	p := Pos{Line: 1, Col: 1}
	for i := 0; i < int(off); {
		_, size := utf8.DecodeRune(src[i:])
		switch {
		case src[i] == '\n':
			p.Line++
			p.Col = 1
		case i == 0 && bytes.HasPrefix(src, []byte("\ufeff")):
		default:
			p.Col++
		}
		i += size
	}
	return p
}

func TestOddSources(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		want      string // the body
		errors    int    // at least
		pos       Pos    // of the last statement
	}{
		{"empty", "", "[]", 0, Pos{}},
		{"blank", " \n\t\n", "[]", 0, Pos{}},
		{"only a comment", "# x", "[]", 0, Pos{}},
		{"no final newline", "x", "[(ExprStmt x)]", 0, Pos{Line: 1, Col: 1}},
		{"crlf", "if x:\r\n    y\r\nz\r\n", "[(If x [(ExprStmt y)]) (ExprStmt z)]", 0, Pos{Line: 3, Col: 1}},
		{"byte order mark", "\ufeffx = 1; y", "[(Assign [x] 1) (ExprStmt y)]", 0, Pos{Line: 1, Col: 8}},
		{"tabs", "if x:\n\tif y:\n\t\tz\n", "[(If x [(If y [(ExprStmt z)])])]", 0, Pos{Line: 1, Col: 1}},
		{"form feed", "x\n\f\ny\n", "[(ExprStmt x) (ExprStmt y)]", 0, Pos{Line: 3, Col: 1}},
		{"code points", "'äöü𝔘'; x", `[(ExprStmt "äöü𝔘") (ExprStmt x)]`, 0, Pos{Line: 1, Col: 9}},
		{"latin-1 in a string", "'\xe4\xa0\xfc'; x", `[(ExprStmt "\xe4\xa0\xfc") (ExprStmt x)]`, 0, Pos{Line: 1, Col: 8}},
		{"latin-1 in a comment", "# \xe4\xf6\nx", "[(ExprStmt x)]", 0, Pos{Line: 2, Col: 1}},
		{"nul in a string", "'a\x00b'; x", "", 1, Pos{Line: 1, Col: 8}}, // CPython refuses it too
		{"nul in the code", "x\ny \x00 z\nw = 1\n", "", 1, Pos{Line: 3, Col: 1}},
		{"line continuation", "x = \\\n  1\ny", "[(Assign [x] 1) (ExprStmt y)]", 0, Pos{Line: 3, Col: 1}},
		{"nfkc", "x.ｉｔｅｍ()", `[(ExprStmt (Call (Attr x "item")))]`, 0, Pos{Line: 1, Col: 1}},
		{"long line", "'" + string(bytes.Repeat([]byte("ä"), 1000)) + "'; x", "", 0, Pos{Line: 1, Col: 1005}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := parse(t, tt.src)
			checkSpans(t, m)
			if got := dump(m.Body); tt.want != "" && got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if len(m.Errors) < tt.errors || tt.errors == 0 && len(m.Errors) > 0 {
				t.Errorf("errors %v, want %d", m.Errors, tt.errors)
			}
			if n := len(m.Body); n > 0 && m.Body[n-1].Pos().Start != tt.pos {
				t.Errorf("last statement at %v, want %v", m.Body[n-1].Pos().Start, tt.pos)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	seeds, err := filepath.Glob("testdata/golden/*.py")
	if err != nil || len(seeds) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, path := range seeds {
		src, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
		for _, line := range bytes.Split(src, []byte("\n")) {
			f.Add(line)
		}
	}
	lim := Limits{MaxBytes: 1 << 16, Timeout: 2 * time.Second, MaxMemory: 64 << 20, MaxDepth: 60}
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := Parse(context.Background(), "fuzz.py", src, lim)
		if err != nil {
			if !errors.Is(err, ErrTooLarge) && !errors.Is(err, ErrDeadline) {
				t.Fatal(err)
			}
			return
		}
		checkSpans(t, m)
		Walk(m, func(n Node) bool {
			switch n := n.(type) {
			case Stmt:
				Tokens(m, n)
			case *Compare:
				if len(n.Ops) != len(n.Rest) {
					t.Errorf("%d operators for %d operands", len(n.Ops), len(n.Rest))
				}
			case *Dict:
				if len(n.Keys) != len(n.Values) {
					t.Errorf("%d keys for %d values", len(n.Keys), len(n.Values))
				}
			}
			return true
		})
		if again, err := Parse(context.Background(), "fuzz.py", src, lim); errors.Is(err, ErrDeadline) {
			return // the machine stood still
		} else if err != nil || dump(again.Body) != dump(m.Body) {
			t.Errorf("a second parse differs: %v", err)
		}
	})
}
