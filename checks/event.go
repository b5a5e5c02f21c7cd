package checks

import "github.com/gatebot/gatebot/internal/pyast"

// Call is a call on hot code.
//
// Name is canonical. Functions from outside carry their home whatever the import says ("torch.zeros",
// "torch.nn.functional.one_hot", "numpy.asarray", "math.sqrt", "time.sleep"), builtins are "builtins.int". Methods
// are "Tensor.item", "numpy.ndarray.tolist", "torch.cuda.Stream.synchronize", "torch.cuda.Event.elapsed_time",
// "torch.nn.Module.to" (the names of the table in checks/torchop), and for other kinds "str.format", "list.append",
// "dict.items". A method of a class of the project, and a function of the project, is
// "user" with Func set: such calls are also followed. A method on a value of which nothing is known is named as if
// it were a tensor's when Tensor has a method of that name, with Recv of KindUnknown (findings on it come out as
// possible), else "?.name".
type Call struct {
	Node   *pyast.Call
	Name   string
	Recv   *Value // what a method is called on, else nil
	Args   []Arg  // as written
	Result *Value
	Func   *Func
}

// Arg is one argument of a call. Star is 1 for *x, 2 for **x.
type Arg struct {
	Name  string // keyword, or empty
	Star  int
	Value *Value
	Node  pyast.Expr
}

// Arg returns the argument at position pos or with keyword name, whichever is there; ok is false when neither is. Pos
// -1 means keyword only. For a method written as a function (torch.add(x, y)) positions count from the first argument.
func (c *Call) Arg(pos int, name string) (Arg, bool) {
	i := 0
	for _, a := range c.Args {
		if a.Star > 0 {
			if a.Star == 1 && pos >= i {
				pos = -1 // positions after *args are not known
			}
			continue
		}
		if a.Name != "" {
			if a.Name == name && name != "" {
				return a, true
			}
			continue
		}
		if i == pos {
			return a, true
		}
		i++
	}
	return Arg{}, false
}

// Value is the value of Arg(pos, name), nil when the argument is not there.
func (c *Call) Value(pos int, name string) *Value {
	a, _ := c.Arg(pos, name)
	return a.Value
}

// Has reports whether the keyword is given (a ** argument may also carry it: then the answer is true too, so that a
// rule that fires on its absence stays silent).
func (c *Call) Has(name string) bool {
	for _, a := range c.Args {
		if a.Name == name || a.Star == 2 {
			return true
		}
	}
	return false
}

// Positional counts the positional arguments; star is true when there is a *args among them.
func (c *Call) Positional() (n int, star bool) {
	for _, a := range c.Args {
		switch {
		case a.Star == 1:
			star = true
		case a.Star == 0 && a.Name == "":
			n++
		}
	}
	return n, star
}

// Subject is the tensor that a tensor operation works on: the receiver of a method, the first positional argument (or
// `input`, `self`) of a function.
func (c *Call) Subject() *Value {
	if c.Recv != nil {
		return c.Recv
	}
	if v := c.Value(0, "input"); v != nil {
		return v
	}
	return c.Value(-1, "self")
}

// Operand is argument i of a tensor operation counted without the subject, so that x.split(n) and torch.split(x, n)
// look the same: Operand(0, "split_size") is n in both.
func (c *Call) Operand(i int, name string) (Arg, bool) {
	if c.Recv == nil {
		i++
	}
	return c.Arg(i, name)
}

// TruthKind is where a value is truth-tested.
type TruthKind uint8

// The places. A condition that is made of `and`, `or` and `not` is tested at its leaves, each with the kind of the
// whole; TruthAnd, TruthOr and TruthNot are for these operators outside conditions.
const (
	TruthIf TruthKind = iota
	TruthWhile
	TruthTernary
	TruthFilter // comprehension filter
	TruthAssert
	TruthGuard // case … if guard, or a case that compares the subject with a value
	TruthAnd
	TruthOr
	TruthNot
	TruthBuiltin // any, all, min, max, sorted over or of tensors
)

// Truth is a truth test: `bool(Value)` is taken. Node is the tested expression (for TruthBuiltin the call).
type Truth struct {
	Node  pyast.Expr
	Kind  TruthKind
	Value *Value
	Stmt  pyast.Stmt // the *pyast.If, *pyast.While, *pyast.Assert or *pyast.Match it belongs to, else nil
}

// Membership is `Elt in Container` or `not in`; both sides are compared with == and the result is truth-tested.
type Membership struct {
	Node           *pyast.Compare
	Elt, Container *Value
	ContainerNode  pyast.Expr
}

// Index is one index of a subscript. For a slice, Lo, Hi and Step hold its parts (nil when not written).
type Index struct {
	Node         pyast.Expr
	Value        *Value // KindSlice for a slice
	Slice        *pyast.Slice
	Lo, Hi, Step *Value
}

// Load is a subscript that is read, Base[Index…]. Also raised for the read half of `x[i] += v`, with Aug set.
type Load struct {
	Node   *pyast.Subscript
	Base   *Value
	Index  []Index
	Result *Value
	Aug    bool
}

// Store is a subscript that is written, Base[Index…] = Value or Base[Index…] Op= Operand; Value is what is written.
type Store struct {
	Node  *pyast.Subscript
	Stmt  pyast.Stmt // the whole assignment
	Base  *Value
	Index []Index
	Value *Value
	Op    string // "+" for +=, empty for =
	// ValueNode is the expression on the right.
	ValueNode pyast.Expr
}

// IterKind is how a value is iterated.
type IterKind uint8

// Kinds of iteration.
const (
	IterFor    IterKind = iota // for statement
	IterComp                   // comprehension
	IterUnpack                 // a, b = value
	IterCall                   // list(value), tuple, set, enumerate, zip, map, sum, …
	IterStar                   // f(*value), [*value]
)

// Iterate is an iteration over Value.
type Iterate struct {
	Node  pyast.Expr
	Kind  IterKind
	Value *Value
	Call  string     // the canonical name of the function for IterCall
	Stmt  pyast.Stmt // the *pyast.For, else nil
}

// FormatKind is how a value becomes text.
type FormatKind uint8

// Kinds of formatting.
const (
	FormatFString FormatKind = iota
	FormatPrint
	FormatStr     // str(), repr(), format(), str.format
	FormatPercent // '…' % value
	FormatLog     // an argument of a logging call or warnings.warn
)

// Format is a value that is turned into text. Level is the logging method for FormatLog ("debug", "info", …).
type Format struct {
	Node  pyast.Expr
	Kind  FormatKind
	Value *Value
	Level string
}

// AttrStore is `Recv.Name = Value`; Op as in Store.
type AttrStore struct {
	Node  *pyast.Attr
	Stmt  pyast.Stmt
	Recv  *Value
	Name  string
	Value *Value
	Op    string
}

// Binary is `L Op R` for arithmetic, and for comparisons (one event per operator, Node is the *pyast.Compare then).
// Aug is set for `x += y`.
type Binary struct {
	Node   pyast.Node
	Op     string
	L, R   *Value
	Result *Value
	Aug    bool
}

// With is one context manager that is entered.
type With struct {
	Stmt  *pyast.With
	Node  pyast.Expr
	Value *Value
	Name  string // canonical name of the function that made it, "torch.cuda.stream"
}

// Return is a return statement; Value is None's value for a bare one.
type Return struct {
	Stmt  *pyast.Return
	Value *Value
}
