package pyast

import (
	"strconv"
	"strings"
)

// Tokens returns the tokens of n in a normal form, made for fingerprints: it does not change with blanks, line breaks,
// comments, trailing commas, redundant parentheses, the style of quotes or the way a string is cut into pieces. Of a
// compound statement it gives the head without the body. Operators that nest are always parenthesised, so that
// different expressions never share their tokens.
func Tokens(m *Module, n Node) []string {
	t := tokens{m: m}
	switch n := n.(type) {
	case Expr:
		t.expr(n)
	case Stmt:
		t.stmt(n)
	}
	return t.out
}

type tokens struct {
	m   *Module
	out []string
}

func (t *tokens) add(s ...string) { t.out = append(t.out, s...) }

// list writes elements with commas between them and none at the end.
func (t *tokens) list(open, end string, es []Expr) {
	t.add(open)
	for i, e := range es {
		if i > 0 {
			t.add(",")
		}
		t.expr(e)
	}
	t.add(end)
}

// inner writes an operand, in parentheses unless it is a single unit.
func (t *tokens) inner(e Expr) {
	switch e.(type) {
	case *Binary, *Unary, *Bool, *Compare, *IfExp, *Lambda, *Walrus, *Await, *Yield, *Starred:
		t.add("(")
		t.expr(e)
		t.add(")")
	default:
		t.expr(e)
	}
}

func (t *tokens) expr(e Expr) {
	switch e := e.(type) {
	case nil:
	case *Name:
		t.add(e.ID)
	case *Attr:
		t.inner(e.X)
		t.add(".", e.Name)
	case *Call:
		t.inner(e.Func)
		t.args(e.Args)
	case *Subscript:
		t.inner(e.X)
		t.list("[", "]", e.Index)
		if e.Tuple && len(e.Index) == 1 { // a[b,] is not a[b]
			t.out = append(t.out[:len(t.out)-1], ",", "]")
		}
	case *Slice:
		t.expr(e.Lo)
		t.add(":")
		t.expr(e.Hi)
		if e.Step != nil {
			t.add(":")
			t.expr(e.Step)
		}
	case *Binary:
		t.inner(e.L)
		t.add(e.Op)
		t.inner(e.R)
	case *Unary:
		t.add(e.Op)
		t.inner(e.X)
	case *Bool:
		t.inner(e.L)
		t.add(e.Op)
		t.inner(e.R)
	case *Compare:
		t.inner(e.First)
		for i, op := range e.Ops {
			t.add(op)
			t.inner(e.Rest[i])
		}
	case *IfExp:
		t.inner(e.Then)
		t.add("if")
		t.inner(e.Test)
		t.add("else")
		t.inner(e.Else)
	case *Lambda:
		t.add("lambda")
		t.params(e.Params)
		t.add(":")
		t.expr(e.Body)
	case *Const:
		t.constant(e)
	case *FString:
		t.fstring(e)
	case *Tuple:
		t.list("(", ")", e.Elts)
		if len(e.Elts) == 1 {
			t.out = append(t.out[:len(t.out)-1], ",", ")")
		}
	case *List:
		t.list("[", "]", e.Elts)
	case *Set:
		t.list("{", "}", e.Elts)
	case *Dict:
		t.dict(e)
	case *Comp:
		t.comp(e)
	case *Walrus:
		t.expr(e.Target)
		t.add(":=")
		t.inner(e.Value)
	case *Starred:
		t.add(stars[1+btoi(e.Double)])
		t.inner(e.X)
	case *Await:
		t.add("await")
		t.inner(e.X)
	case *Yield:
		t.add("yield")
		if e.From {
			t.add("from")
		}
		t.expr(e.X)
	case *Bad: // not understood: its words as they stand
		t.add(strings.Fields(t.m.Text(e))...)
	}
}

var stars = [...]string{"", "*", "**"}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (t *tokens) constant(e *Const) {
	switch e.Kind {
	case ConstString:
		t.add(quote(e.Text))
	case ConstBytes:
		t.add("b" + quote(e.Text))
	default:
		t.add(e.Text)
	}
}

// quote writes a string so that 'it\'s' and "it's" come out alike.
func quote(s string) string {
	s = strings.ReplaceAll(s, `\'`, `'`)
	return strconv.Quote(strings.ReplaceAll(s, `\"`, `"`))
}

func (t *tokens) fstring(e *FString) {
	t.add("f"+quote(e.Text), "(")
	for i, v := range e.Values {
		if i > 0 {
			t.add(",")
		}
		t.expr(v.X)
		if v.Conv != "" {
			t.add("!", v.Conv)
		}
		if v.Spec {
			t.add(":")
		}
	}
	t.add(")")
}

func (t *tokens) args(as []Arg) {
	t.add("(")
	for i := range as {
		if i > 0 {
			t.add(",")
		}
		a := &as[i]
		switch {
		case a.Star > 0:
			t.add(stars[a.Star])
		case a.Name != "":
			t.add(a.Name, "=")
		}
		t.expr(a.Value)
	}
	t.add(")")
}

func (t *tokens) params(ps []Param) {
	keywordOnly := false
	for i := range ps {
		p := &ps[i]
		if i > 0 {
			t.add(",")
		}
		if p.KeywordOnly && !keywordOnly {
			t.add("*", ",")
		}
		keywordOnly = keywordOnly || p.KeywordOnly || p.Star == 1
		if p.Star > 0 {
			t.add(stars[p.Star])
		}
		t.add(p.Name)
		if p.Annotation != nil {
			t.add(":")
			t.expr(p.Annotation)
		}
		if p.Default != nil {
			t.add("=")
			t.expr(p.Default)
		}
	}
}

func (t *tokens) dict(e *Dict) {
	t.add("{")
	for i, v := range e.Values {
		if i > 0 {
			t.add(",")
		}
		if e.Keys[i] == nil {
			t.add("**")
			t.inner(v)
			continue
		}
		t.expr(e.Keys[i])
		t.add(":")
		t.expr(v)
	}
	t.add("}")
}

var brackets = map[CompKind][2]string{CompList: {"[", "]"}, CompSet: {"{", "}"}, CompDict: {"{", "}"},
	CompGenerator: {"(", ")"}}

func (t *tokens) comp(e *Comp) {
	b := brackets[e.Kind]
	t.add(b[0])
	t.expr(e.Elt)
	if e.Value != nil {
		t.add(":")
		t.expr(e.Value)
	}
	for _, c := range e.Clauses {
		if c.Async {
			t.add("async")
		}
		t.add("for")
		t.expr(c.Target)
		t.add("in")
		t.inner(c.Iter)
		for _, x := range c.Ifs {
			t.add("if")
			t.inner(x)
		}
	}
	t.add(b[1])
}
