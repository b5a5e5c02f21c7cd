package checks

import (
	"maps"
	"sync/atomic"
)

// Func is a function or method of the project, without its syntax tree: trees come and go, see treeCache.
type Func struct {
	Path  string
	Name  string // qualified: MoE.forward, outer.inner
	Line  int
	Class *Class // of a method
	Kind  FuncKind

	mod    *module
	ord    int    // ordinal of the def in its file
	off    uint32 // where the def starts, to find it again in a fresh tree
	short  string
	outer  *Func
	inner  map[string]*Func
	refs   []string // dotted texts of what it reads and calls, see references
	packed []byte   // the same as it was read, until somebody asks
	locals []local
	decos  []string
	params []string
	kernel bool         // runs on the device: a Triton, CuTe or Warp kernel
	exprs  atomic.Int32 // expressions that were evaluated when it was last interpreted
	dup    int          // how many functions of the same name come before it in the file
	// from and end are the whole text of it, with decorators and the comment behind the last line.
	from, end uint32
	top       *Func // the outermost function whose text holds this one
	sum       digest
	wanted    []*Rule   // rules with Mentions that it mentions; nil for most functions
	slot      *funcSlot // see wiring
	wires     *wires
	nature    nature // see natureOf
}

// local is a local variable or parameter whose class is written in the source.
type local struct{ name, class string }

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

	mod       *module
	off       uint32
	short     string
	bases     []string // dotted text as written
	methods   map[string]*Func
	fields    []string            // annotated class variables in order: dataclass and NamedTuple fields
	attrs     map[string][]string // attributes assigned on self, with the classes that their source text names
	stores    map[string][]*Func  // the methods that do so
	makers    []*Func             // of a data class: functions that name it
	makersHot []bool              // which of them are on the hot path
	madeHot   bool                // one of them is on the hot path
	data      bool                // @dataclass, NamedTuple, TypedDict: the constructor takes the fields
	ownData   bool                // the same without what the ancestors say
	dup       int                 // how many classes of the same name come before it in the file
	body      map[string]digest   // of the statements that give a variable of the class its value or type
	shape     digest              // see Class.shapeSum, made on demand
	subs      []*Class
	mro       []*Class
	slot      *classSlot // see wiring
	ext       []string   // canonical names of bases outside the project, of the whole line of ancestors
}

// Object is the mutable part of an abstract instance or dict: what its attributes and keys hold, joined over every
// store the interpreter has seen. One object stands for all instances made at one place.
type Object struct {
	id    int
	attrs map[string]*Value
	elem  *Value // what unknown keys hold
	of    *Class // set in the one that stands for all objects of a class
	// early is set while functions outside the hot path have stored everything: load is what they stored, the state
	// before the first step, and is kept apart only when early is not set.
	early bool
	load  map[string]*Value
	read  *attrsRead // of one that stands for all objects of a class
}

func (o *Object) atLoad(name string) *Value {
	o.reads(name)
	if o.early {
		return o.attrs[name]
	}
	return o.load[name]
}

// loaded are the names that atLoad knows, sorted.
func (o *Object) loaded() []string {
	if o.early {
		return sortedKeys(o.attrs)
	}
	return sortedKeys(o.load)
}

// split is called before something is stored that was not there before the first step.
func (o *Object) split() {
	if o.early {
		o.early, o.load = false, maps.Clone(o.attrs)
	}
}

// set joins v to what a name holds.
func (o *Object) set(name string, v *Value) {
	o.split()
	o.attrs[name] = join(o.attrs[name], v)
}

// AtLoad is what attribute or key name held before the first step, as far as functions outside the hot path stored it;
// nil when none did.
func (v *Value) AtLoad(name string) *Value {
	if v == nil || v.Obj == nil {
		return nil
	}
	return v.Obj.atLoad(name)
}

// lambdaRef finds a lambda in a fresh tree. Values outlive trees, so they must not hold syntax.
type lambdaRef struct {
	mod *module
	off uint32
}

// Attr is what attribute or key name holds; nil when nothing is known.
func (v *Value) Attr(name string) *Value {
	if v == nil || v.Obj == nil {
		return nil
	}
	return v.Obj.attr(name)
}

// module is one indexed file.
type module struct {
	path    string
	names   []string // dotted names it can be imported by, best first
	pkg     bool     // __init__.py
	imports map[string]target
	stars   []target
	funcs   map[string]*Func // at the top level
	classes map[string]*Class
	vars    map[string]bool // other names assigned at the top level; set for one that is a dict display and nothing else
	all     []*Func
	allCls  []*Class
	marks   []mark // suppression comments
	allowed []lines
	size    int64
	file    File
	trees   *treeCache // that keeps its unit
	kept    []string   // inputs that are declared to stay on the host
	setsDev bool       // calls torch.set_default_device
	// entersDev is set when it uses a device as a context.
	entersDev bool
	sum       digest                 // of the whole file
	values    map[string]digest      // of the assignments to each variable at the top level
	tops      []*Func                // functions that lie in no other, in source order
	refs      *refs                  // made on demand
	texts     []string               // of the memory that it was read from
	hotMarks  map[*Func]string       // see hotPath.marks
	told      atomic.Pointer[digest] // of its telling lines, made on demand
	telling   atomic.Pointer[string] // these lines, likewise
	packed    packedTree
	aliases   []alias     // made on demand, as are the next three
	aliasFrom *wordFilter // of what they come from
	filter    *wordFilter // of the words that its functions use
	makes     []maker
	loans     []loan
	wantedFor *string     // for which names the rules of its functions were noted
	cold      *bool       // see outsideStep, made on demand
	debug     *bool       // see debugging, made on demand
	native    *nativeFile // of a C++ or CUDA file, which has nothing else but a path, marks and functions
}

// target is what an import binds: a module, or a name in one.
type target struct{ module, name string }

// lines is a range of lines, both ends included.
type lines struct{ from, to int }
