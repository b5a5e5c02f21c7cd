package pyast

import (
	"slices"
	"strings"
	"testing"
)

func TestTokensAreTheSame(t *testing.T) {
	for _, same := range [][]string{
		{"f(a, b)", "f(a,b)", "f( a ,\n  b, # why\n)", "f(\ta, (b))", "(f)(a, b,)"},
		{`x["k"]`, `x['k']`, `x [ 'k' ]`, `x["""k"""]`, `x[("k")]`},
		{`'it\'s'`, `"it's"`, `'it' "'s"`},
		{"a.b.item()", "a . b\\\n.item( )", "(a.b).item()", "((a).b).item()"},
		{"a + b * c", "a+(b*c)", "(a + (b * c))"},
		{"(a, b)", "(a, b,)", "( a , b )"},
		{"{1: 2, **d}", "{1:2,**d,}"},
		{"[x for x in y if z]", "[ x for x in (y) if (z) ]"},
		{"f(lambda x, *, y=1: x)", "f(lambda x,*,y = 1 : (x))"},
		{"f'{a!r:>3} b'", `f"{ a !r:>3} b"`, `f"{(a)!r:>3}" ' b'`},
		{"x[1:2, ::3]", "x[1 : 2, : : 3]"},
		{"not a or b", "(not a) or b"},
	} {
		want := exprTokens(t, same[0])
		for _, s := range same[1:] {
			if got := exprTokens(t, s); !slices.Equal(got, want) {
				t.Errorf("%q: %q\n%q: %q", same[0], want, s, got)
			}
		}
	}
}

func TestTokensDiffer(t *testing.T) {
	all := []string{"a", "b", "a.b", "a.c", "a()", "a(b)", "a(b=c)", "a(*b)", "a(**b)", "a[b]", "a[b,]", "a[b:]", "a[:b]",
		"a[::b]", "a + b", "a - b", "a * b + c", "a * (b + c)", "a and b", "a or b", "a < b", "a < b < c", "(a < b) < c",
		"a is b", "a is not b", "a in b", "a not in b", "'a'", "b'a'", "f'a'", "f'{a}'", "f'{a!r}'", "f'{a:3}'", "f'{a:4}'", "f'{a:{b}}'", "1", "1.0",
		"1j", "(a,)", "(a, b)", "[a]", "{a}", "{a: b}", "{**a}", "[a for a in b]", "{a for a in b}", "{a: a for a in b}",
		"(a for a in b)", "[a for a in b if c]", "[a async for a in b]", "a if b else c", "lambda: a", "lambda a: a",
		"lambda *a: a", "lambda a=1: a", "lambda *, a: a", "-a", "+a", "~a", "not a", "(a := b)", "await a", "(yield)",
		"(yield a)", "(yield from a)", "None", "True", "...", `"\\'"`, "a @ b"}
	seen := map[string]string{}
	for _, s := range all {
		key := strings.Join(exprTokens(t, s), "\x00")
		if old, ok := seen[key]; ok {
			t.Errorf("%q and %q have the same tokens", old, s)
		}
		seen[key] = s
	}
}

// Statements that a rule may point at: the head is all that counts.
func TestTokensOfStatements(t *testing.T) {
	for src, want := range map[string]string{
		"if (x) :\n  a\nelif y: b":                "if x",
		"while x:\n  a":                           "while x",
		"for i ,j in f(x):\n  a":                  "for ( i , j ) in f ( x )",
		"async with a as b, c: d":                 "async with a as b , c",
		"def f(a, *, b: int=3, **k) -> int: pass": "def f ( a , * , b : int = 3 , ** k ) -> int",
		"class A(B, metaclass=M): pass":           "class A ( B , metaclass = M )",
		"x = y = z":                               "x = y = z",
		"x: int = 3":                              "x : int = 3",
		"x @= y":                                  "x @= y",
		"return x":                                "return x",
		"raise A from b":                          "raise A from b",
		"assert a, b":                             "assert a , b",
		"del a, b":                                "del a , b ;",
		"import a.b as c, d":                      "import a.b as c , d",
		"from .. import x":                        "from .. import x",
		"global a":                                "global a",
		"nonlocal a":                              "nonlocal a",
		"pass":                                    "pass",
		"match x:\n  case 1: pass":                "match x",
		"try: a\nfinally: b":                      "try",
		"print 'x'":                               "print 'x'",
	} {
		m := parse(t, src+"\n")
		if got := strings.Join(Tokens(m, m.Body[0]), " "); got != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
}

func exprTokens(t *testing.T, src string) []string {
	t.Helper()
	m := parse(t, "(\n"+src+"\n)\n")
	if len(m.Errors) > 0 {
		t.Fatalf("%q: %v", src, m.Errors)
	}
	return Tokens(m, m.Body[0].(*ExprStmt).X)
}
