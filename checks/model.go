package checks

import "github.com/gatebot/gatebot/internal/pyast"

// Func is a function, method or lambda of the project, without its syntax tree (trees come and go, see fileCache).
type Func struct {
	Path  string
	Name  string // qualified: MoE.forward, outer.inner; "<lambda>" ends a lambda's
	Line  int
	Class *Class // of a method
	Kind  FuncKind

	mod    *module
	ord    int // ordinal of the def in its file, to find it again in a fresh tree
	short  string
	parent *Func
	sum    *funcSummary
}

// FuncKind tells methods apart.
type FuncKind uint8

// Kinds of functions.
const (
	FuncPlain FuncKind = iota
	FuncMethod
	FuncStatic
	FuncClassMethod
	FuncProperty
)

// Class is a class of the project.
type Class struct {
	Path string
	Name string // qualified
	Line int

	mod     *module
	short   string
	bases   []string // dotted text as written
	methods map[string]*Func
	fields  []field           // annotated class variables: dataclass and NamedTuple fields
	consts  map[string]string // class variables that are literals, by source text
	stores  map[string]bool   // attributes assigned on self in any method
	data    bool              // @dataclass, NamedTuple, TypedDict: the constructor takes the fields
}

// field is one annotated class variable. Annotation and Default are source texts.
type field struct{ name, annotation, def string }

// Object is the mutable part of an abstract instance or dict: what its attributes and keys hold, joined over every
// store the interpreter has seen. One object stands for all instances made at one place.
type Object struct {
	id    int
	attrs map[string]*Value
	open  bool // attributes that are not listed may exist
}

// Attr is what attribute or key name holds; nil when nothing is known.
func (v *Value) Attr(name string) *Value {
	if v == nil || v.Obj == nil {
		return nil
	}
	return v.Obj.attrs[name]
}

// funcSyntax is the part of a tree that belongs to one function.
type funcSyntax struct {
	node   pyast.Node
	params []pyast.Param
	body   []pyast.Stmt
	expr   pyast.Expr // body of a lambda
}
