package pyast

import "github.com/gatebot/gatebot/internal/treesitter"

// Pos is a place in a file: line and column are 1-based, the column counts Unicode code points.
type Pos = treesitter.Pos

// Span is a piece of a file. Off and EndOff are byte offsets into Module.Source, End is one past the last character.
type Span = treesitter.Span

// Node is anything with a place.
type Node interface{ Pos() Span }

// Expr is a Python expression. The concrete types are the pointers to the structs below.
type Expr interface {
	Node
	expr()
}

// Stmt is a Python statement.
type Stmt interface {
	Node
	stmt()
}

type exprNode struct{ Span }

func (exprNode) expr() {}

type stmtNode struct{ Span }

func (stmtNode) stmt() {}

// Module is one parsed file. It owns everything below it and refers to no C memory; Source is the slice that Parse was
// given, which must not change while the module is in use.
type Module struct {
	Path     string // as given to Parse
	Source   []byte
	Body     []Stmt
	Comments []Comment     // in order of appearance
	Errors   []SyntaxError // regions the grammar could not read; the rest of the file is usable

	span Span
}

// Pos returns the span of the whole file, so that a module is a Node.
func (m *Module) Pos() Span { return m.span }

// Text returns the source of n.
func (m *Module) Text(n Node) string {
	s := n.Pos()
	return string(m.Source[s.Off:s.EndOff])
}

// Comment is one `#` comment, text without the hash and surrounding blanks.
type Comment struct {
	Span
	Text string
	Own  bool // nothing but blanks before it on its line
}

// SyntaxError is a region that is not Python as the grammar knows it.
type SyntaxError struct {
	Span
	Message string
}

// Expressions.

type (
	// Name is an identifier.
	Name struct {
		exprNode
		ID string
	}
	// Attr is X.Name.
	Attr struct {
		exprNode
		X        Expr
		Name     string
		NameSpan Span
	}
	// Call is Func(Args…).
	Call struct {
		exprNode
		Func Expr
		Args []Arg
	}
	// Subscript is X[Index…]. Tuple is set when the index is written with a comma.
	Subscript struct {
		exprNode
		X     Expr
		Index []Expr
		Tuple bool
	}
	// Slice is Lo:Hi:Step inside a subscript; missing parts are nil.
	Slice struct {
		exprNode
		Lo, Hi, Step Expr
	}
	// Binary is L Op R for arithmetic, shifts, bit operations and '@'.
	Binary struct {
		exprNode
		Op   string
		L, R Expr
	}
	// Unary is Op X for '-', '+', '~' and 'not'.
	Unary struct {
		exprNode
		Op string
		X  Expr
	}
	// Bool is `L and R` or `L or R`; chains nest to the left.
	Bool struct {
		exprNode
		Op   string
		L, R Expr
	}
	// Compare is First Ops[0] Rest[0] Ops[1] Rest[1] …; Ops include 'in', 'not in', 'is', 'is not'.
	Compare struct {
		exprNode
		First Expr
		Ops   []string
		Rest  []Expr
	}
	// IfExp is Then if Test else Else.
	IfExp struct {
		exprNode
		Test, Then, Else Expr
	}
	// Lambda is lambda Params: Body.
	Lambda struct {
		exprNode
		Params []Param
		Body   Expr
	}
	// Const is a literal. Text is the value of a string (concatenated, escapes not resolved), else the source text.
	Const struct {
		exprNode
		Kind ConstKind
		Text string
	}
	// FString is an f-string; Values are the interpolated expressions in order, those of a format specification after
	// the one that it formats. Text is what lies between them, with "{}" in place of each, or "{:>{}}" when there is a
	// format specification.
	FString struct {
		exprNode
		Values []FValue
		Text   string
	}
	// Tuple is a display with or without parentheses.
	Tuple struct {
		exprNode
		Elts []Expr
	}
	// List is [Elts…].
	List struct {
		exprNode
		Elts []Expr
	}
	// Set is {Elts…}, never empty.
	Set struct {
		exprNode
		Elts []Expr
	}
	// Dict is a display; a nil key marks `**value`.
	Dict struct {
		exprNode
		Keys, Values []Expr
	}
	// Comp is a comprehension or generator; Value is set for dict comprehensions (Elt is the key then).
	Comp struct {
		exprNode
		Kind       CompKind
		Elt, Value Expr
		Clauses    []CompClause
	}
	// Walrus is Target := Value.
	Walrus struct {
		exprNode
		Target *Name
		Value  Expr
	}
	// Starred is *X, or **X when Double is set.
	Starred struct {
		exprNode
		X      Expr
		Double bool
	}
	// Await is await X.
	Await struct {
		exprNode
		X Expr
	}
	// Yield is yield X (X may be nil), or yield from X.
	Yield struct {
		exprNode
		X    Expr
		From bool
	}
	// Bad is an expression the grammar or the lowering could not read. Children are what could be salvaged.
	Bad struct {
		exprNode
		Children []Expr
	}
)

// Arg is one argument of a call or a class base. Star is 1 for *x, 2 for **x.
type Arg struct {
	Span
	Name  string // keyword, or empty
	Star  int
	Value Expr
}

// FValue is one interpolation of an f-string, {X!Conv:Spec}.
type FValue struct {
	X    Expr
	Conv string // "r", "s", "a" or empty
	Spec bool   // there is a format specification
}

// ConstKind tells literals apart.
type ConstKind uint8

// Kinds of literals.
const (
	ConstNone ConstKind = iota
	ConstTrue
	ConstFalse
	ConstInt
	ConstFloat
	ConstComplex
	ConstString
	ConstBytes
	ConstEllipsis
)

// CompKind tells comprehensions apart.
type CompKind uint8

// Kinds of comprehensions.
const (
	CompList CompKind = iota
	CompSet
	CompDict
	CompGenerator
)

// CompClause is `for Target in Iter` followed by its `if` filters.
type CompClause struct {
	Target, Iter Expr
	Ifs          []Expr
	Async        bool
}

// Param is one parameter of a function. Star is 1 for *args, 2 for **kwargs. A bare `*` or `/` is not a Param.
type Param struct {
	Span
	Name        string
	Star        int
	KeywordOnly bool // after a bare * or *args
	Annotation  Expr // or nil
	Default     Expr // or nil
}

// Statements.

type (
	// Assign is Targets[0] = Targets[1] = … = Value.
	Assign struct {
		stmtNode
		Targets []Expr
		Value   Expr
	}
	// AnnAssign is Target: Annotation = Value; Value may be nil.
	AnnAssign struct {
		stmtNode
		Target, Annotation, Value Expr
	}
	// AugAssign is Target Op= Value; Op is without the '='.
	AugAssign struct {
		stmtNode
		Target Expr
		Op     string
		Value  Expr
	}
	// ExprStmt is an expression alone on its line.
	ExprStmt struct {
		stmtNode
		X Expr
	}
	// Return is return X; X may be nil.
	Return struct {
		stmtNode
		X Expr
	}
	// If is if Test: Body else: Else. An elif is an If alone in Else.
	If struct {
		stmtNode
		Test       Expr
		Body, Else []Stmt
	}
	// While is while Test: Body else: Else.
	While struct {
		stmtNode
		Test       Expr
		Body, Else []Stmt
	}
	// For is for Target in Iter: Body else: Else.
	For struct {
		stmtNode
		Target, Iter Expr
		Body, Else   []Stmt
		Async        bool
	}
	// With is with Items: Body.
	With struct {
		stmtNode
		Items []WithItem
		Body  []Stmt
		Async bool
	}
	// Try is try: Body except …: … else: Else finally: Final.
	Try struct {
		stmtNode
		Body, Else, Final []Stmt
		Handlers          []Handler
	}
	// Raise is raise X from From.
	Raise struct {
		stmtNode
		X, From Expr
	}
	// Assert is assert Test, Msg.
	Assert struct {
		stmtNode
		Test, Msg Expr
	}
	// Delete is del Targets.
	Delete struct {
		stmtNode
		Targets []Expr
	}
	// Import is import Names.
	Import struct {
		stmtNode
		Names []Alias
	}
	// ImportFrom is from Module import Names; Level counts leading dots; a name of "*" imports all.
	ImportFrom struct {
		stmtNode
		Module string
		Level  int
		Names  []Alias
	}
	// Scope is global Names or nonlocal Names.
	Scope struct {
		stmtNode
		Nonlocal bool
		Names    []string
	}
	// FuncDef is a function; the span starts at `def` (or `async`), not at the decorators.
	FuncDef struct {
		stmtNode
		Name       string
		NameSpan   Span
		Params     []Param
		Returns    Expr // or nil
		Body       []Stmt
		Decorators []Expr
		TypeParams []Param // of `def f[T: int]`: the annotation is the bound
		Async      bool
	}
	// ClassDef is a class; keyword arguments of the bases keep their names.
	ClassDef struct {
		stmtNode
		Name       string
		NameSpan   Span
		Bases      []Arg
		Body       []Stmt
		Decorators []Expr
		TypeParams []Param
	}
	// Match is match Subject: Cases.
	Match struct {
		stmtNode
		Subject Expr
		Cases   []Case
	}
	// Jump is pass, break or continue.
	Jump struct {
		stmtNode
		Keyword string
	}
	// BadStmt is a statement the grammar could not read.
	BadStmt struct {
		stmtNode
		Children []Expr
	}
)

// WithItem is X as As; As may be nil.
type WithItem struct{ X, As Expr }

// Handler is except Type as Name: Body; Type may be nil.
type Handler struct {
	Span
	Type Expr
	Name string
	Body []Stmt
}

// Alias is Name as As; As is empty when there is none.
type Alias struct {
	Span
	Name, As string
}

// Case is case Pattern if Guard: Body. Binds are the names the pattern captures, Values the value and literal
// patterns it compares the subject with, Classes the classes of class patterns.
type Case struct {
	Span
	Binds       []string
	Values      []Expr
	Classes     []Expr
	Irrefutable bool // `case _` or `case name`
	Guard       Expr
	Body        []Stmt
}
