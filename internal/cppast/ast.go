package cppast

import "github.com/gatebot/gatebot/internal/treesitter"

// Pos is a place in a file, see treesitter.Pos.
type Pos = treesitter.Pos

// Span is a piece of a file, see treesitter.Span.
type Span = treesitter.Span

// Node is anything with a place.
type Node interface{ Pos() Span }

// Expr is an expression. The concrete types are the pointers to the structs below.
type Expr interface {
	Node
	expr()
}

// Stmt is a statement.
type Stmt interface {
	Node
	stmt()
}

type exprNode struct{ Span }

func (exprNode) expr() {}

type stmtNode struct{ Span }

func (stmtNode) stmt() {}

// File is one parsed file. It owns everything below it; Source is the slice that Parse was given.
type File struct {
	Path     string
	Source   []byte
	Funcs    []*Func // defined here, in order, those of classes and macros included
	Comments []Comment
	Errors   []SyntaxError // regions the grammar could not read; the rest of the file is usable
	Includes []string      // as written, without quotes or brackets
}

// Text returns the source of n.
func (f *File) Text(n Node) string {
	s := n.Pos()
	return string(f.Source[s.Off:s.EndOff])
}

// Comment is one comment, text without its marks and surrounding blanks.
type Comment struct {
	Span
	Text string
	Own  bool // nothing but blanks before it on its line
}

// SyntaxError is a region that could not be read.
type SyntaxError struct {
	Span
	Message string
}

// FuncKind tells functions apart.
type FuncKind uint8

// Kinds of functions.
const (
	FuncPlain FuncKind = iota
	FuncConstructor
	FuncDestructor
	FuncMacro // the body of a #define that takes arguments
)

// Func is one function definition. The span is that of the whole definition.
type Func struct {
	Span
	Name   string // qualified, without template arguments: vllm::Cache::flush
	Short  string // flush
	Kind   FuncKind
	Class  string // qualified name of the class it is written in or qualified with, or empty
	Global bool   // __global__
	Device bool   // __device__
	Host   bool   // __host__
	Params []Param
	Inits  []Expr   // arguments of a constructor's initializers
	Guards []string // conditions of the preprocessor around the definition
	Body   []Stmt
}

// OnHost reports whether the function can run on the host.
func (f *Func) OnHost() bool { return f.Host || !f.Global && !f.Device }

// Param is one parameter. Type is its text without blanks, pointers and references included.
type Param struct {
	Name, Type string
}

type (
	// Name is an identifier, qualified or not: std::vector. Targs are the texts of its template arguments.
	Name struct {
		exprNode
		ID    string
		Targs []string
	}
	// Member is X.Name or X->Name.
	Member struct {
		exprNode
		X     Expr
		Name  string
		Targs []string
	}
	// Call is Func(Args…), or a kernel launch Func<<<Config…>>>(Args…). Config is not nil for a launch.
	Call struct {
		exprNode
		Func   Expr
		Args   []Expr
		Config []Expr
	}
	// Index is X[Args…].
	Index struct {
		exprNode
		X    Expr
		Args []Expr
	}
	// Unary is Op X, with & and * among the operators, or X Op for ++ and --.
	Unary struct {
		exprNode
		Op string
		X  Expr
	}
	// Binary is L Op R.
	Binary struct {
		exprNode
		Op   string
		L, R Expr
	}
	// Assign is L Op R where Op ends in '='.
	Assign struct {
		exprNode
		Op   string
		L, R Expr
	}
	// Cond is Test ? Then : Else.
	Cond struct {
		exprNode
		Test, Then, Else Expr
	}
	// Cast is (Type)X. Named casts are calls of a Name with template arguments.
	Cast struct {
		exprNode
		Type string
		X    Expr
	}
	// New is new Type(Args…).
	New struct {
		exprNode
		Type string
		Args []Expr
	}
	// Init is Type{Elts…}; Type is empty for a bare list.
	Init struct {
		exprNode
		Type string
		Elts []Expr
	}
	// Lambda is a lambda expression. Its statements run where it is called; they are listed here.
	Lambda struct {
		exprNode
		Device bool // marked __device__ and not __host__
		Params []Param
		Body   []Stmt
	}
	// Lit is a literal; Text is its source, of a string without the quotes.
	Lit struct {
		exprNode
		String bool
		Text   string
	}
	// Other is any other expression with what could be read of it.
	Other struct {
		exprNode
		Children []Expr
	}
)

type (
	// ExprStmt is X;
	ExprStmt struct {
		stmtNode
		X Expr
	}
	// Decl is one declared variable. Type is the text of the type without blanks, with `*`, `&` and `[]` of the
	// declarator at its end. Init is what follows '=', or the braces; Args are those of `T x(…)`.
	Decl struct {
		stmtNode
		Type   string
		Name   string
		Names  []string // of a structured binding
		Static bool
		Init   Expr
		Args   []Expr
	}
	// If is if (Init; Test) Then else Else.
	If struct {
		stmtNode
		Init       []Stmt
		Test       Expr
		Then, Else []Stmt
	}
	// Loop is for, while or do. Over is the range of a range-based for.
	Loop struct {
		stmtNode
		Init       []Stmt
		Test, Step Expr
		Over       Expr
		Body       []Stmt
	}
	// Switch is a switch; the cases follow each other in Body.
	Switch struct {
		stmtNode
		Test Expr
		Body []Stmt
	}
	// Block is { Body }, or statements under a label.
	Block struct {
		stmtNode
		Body []Stmt
	}
	// Return is return X.
	Return struct {
		stmtNode
		X Expr
	}
	// Throw is throw X.
	Throw struct {
		stmtNode
		X Expr
	}
	// Jump is break, continue or goto.
	Jump struct {
		stmtNode
		Keyword string
	}
	// Try is try { Body } catch { Handlers… }.
	Try struct {
		stmtNode
		Body     []Stmt
		Handlers [][]Stmt
	}
	// Preproc is #if Cond, #ifdef, #elif: the condition as text, `defined(X)` for #ifdef X.
	Preproc struct {
		stmtNode
		Cond       string
		Then, Else []Stmt
	}
)
