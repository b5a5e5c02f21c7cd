package checks

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A fact is one thing that the interpreter has asked about the project. What it found holds for as long as every fact
// that it has asked for is what it was. Facts are named by path and name, so that they outlive the trees they are about.
type fact struct {
	kind factKind
	path string
	name string
	dup  int
	ask  classAsk
	arg  string
}

type factKind uint8

const (
	factFunc  factKind = iota // the text of an outermost function, and which functions in it are hot
	factClass                 // what a class and its ancestors say
	factValue                 // the assignments to a variable at the top level of a module
	factName                  // what a dotted name stands for at the top level of a module
	factKept                  // the inputs that a module keeps on the host
	factFile                  // a whole file
	factLines                 // what its telling lines are, see lines.go
	factDict                  // whether a variable at the top level is a dict display and nothing else
	factState                 // what a method leaves in the attributes of the objects of a class, see stateFact
)

// classAsk is what can be asked of a class.
type classAsk uint8

const (
	askShape   classAsk = iota // its ancestors, and whether a step makes objects of it
	askMethod                  // the method of a name
	askSuper                   // the method of a name behind one of the ancestors
	askStores                  // the methods that store an attribute
	askBody                    // the statements of its body that assign to a name
	askNested                  // the class of a name in it
	askFields                  // the first parameters of a constructor that is made, as many as are given; all without a number
	askMethods                 // all of its own methods
	askMakers                  // the functions that make objects of a data class
)

// classFact is a question to a class.
type classFact struct {
	cls *Class
	ask classAsk
	arg string
}

// state is what a fact is: a digest, a text, or both. The zero state is "not there".
type state struct {
	sum  digest
	text string
}

// asked collects the facts that one task has asked for.
type asked struct {
	funcs   map[*Func]bool
	classes map[classFact]bool
	values  map[globalVar]bool
	dicts   map[globalVar]bool
	names   map[nameIn]symbol
	kept    map[*module]bool
	files   map[*module]bool
	lines   map[*module]bool
	idle    bool // nothing is remembered of this scan, so that classes need not be noted
}

// nameIn is a dotted name as it is written in a module.
type nameIn struct {
	mod  *module
	name string
}

func newAsked() *asked {
	return &asked{funcs: map[*Func]bool{}, classes: map[classFact]bool{}, values: map[globalVar]bool{}, dicts: map[globalVar]bool{}, names: map[nameIn]symbol{},
		kept: map[*module]bool{}, files: map[*module]bool{}, lines: map[*module]bool{}}
}

// lookup is project.lookup for the interpreter: what it gives is a fact.
func (in *interp) lookup(m *module, name string) symbol {
	key := nameIn{m, name}
	s, ok := in.asked.names[key]
	if !ok {
		s = in.p.lookup(m, name)
		in.asked.names[key] = s
		if s.cls != nil {
			in.asked.of(s.cls, askShape, "")
		}
	}
	return s
}

func (a *asked) of(c *Class, ask classAsk, arg string) {
	if !a.idle {
		a.classes[classFact{c, ask, arg}] = true
	}
}

// methodIn is a method of a class by its name.
type methodIn struct {
	cls  *Class
	name string
}

// method finds a method along the ancestors of a class.
func (in *interp) method(c *Class, name string) *Func {
	key := methodIn{c, name}
	f, ok := in.methods[key]
	if !ok {
		in.asked.of(c, askMethod, name)
		f = c.member(name)
		in.methods[key] = f
	}
	return f
}

// methodAfter finds super().name as seen from a method of owner on an object of class c.
func (in *interp) methodAfter(c, owner *Class, name string) *Func {
	if !slices.Contains(c.mro, owner) {
		return in.method(c, name)
	}
	in.asked.of(c, askSuper, fmt.Sprintf("%s %d %s %s", name, owner.dup, owner.Name, owner.Path))
	return c.methodAfter(owner, name)
}

// isModule is Class.isModule.
func (in *interp) isModule(c *Class) bool { return c.isTorchModule() || in.method(c, "forward") != nil }

// facts lists what was asked for.
func (a *asked) facts() []fact {
	out := make([]fact, 0, len(a.funcs)+len(a.classes)+len(a.values)+len(a.dicts)+len(a.names)+len(a.kept)+len(a.files)+len(a.lines))
	for f := range a.funcs {
		out = append(out, fact{factFunc, f.Path, f.Name, f.dup, 0, ""})
	}
	for c := range a.classes {
		out = append(out, fact{factClass, c.cls.Path, c.cls.Name, c.cls.dup, c.ask, c.arg})
	}
	for v := range a.values {
		out = append(out, fact{factValue, v.mod.path, v.name, 0, 0, ""})
	}
	for v := range a.dicts {
		out = append(out, fact{factDict, v.mod.path, v.name, 0, 0, ""})
	}
	for n := range a.names {
		out = append(out, fact{factName, n.mod.path, n.name, 0, 0, ""})
	}
	for m := range a.kept {
		out = append(out, fact{factKept, m.path, "", 0, 0, ""})
	}
	for m := range a.files {
		out = append(out, fact{factFile, m.path, "", 0, 0, ""})
	}
	for m := range a.lines {
		out = append(out, fact{factLines, m.path, "", 0, 0, ""})
	}
	return out
}

// stateOf is what a fact is in this project.
func (s *scan) stateOf(f fact) state {
	m := s.p.byPath[f.path]
	if m == nil || m.native != nil {
		return state{}
	}
	switch f.kind {
	case factFunc:
		if fn := m.function(f.name, f.dup); fn != nil && fn.top == fn {
			return state{fn.sum, s.hot.marks(fn)}
		}
	case factClass:
		if c := m.class(f.name, f.dup); c != nil {
			return s.hot.answer(c, f.ask, f.arg)
		}
	case factValue:
		return state{sum: m.values[f.name]}
	case factDict:
		if m.vars[f.name] {
			return state{text: "dict"}
		}
	case factName:
		return state{text: s.hot.meaning(s.p.lookup(m, f.name))}
	case factKept:
		return state{text: strings.Join(s.p.keptIn(m), " ") + "."}
	case factFile:
		return state{sum: m.sum}
	case factLines:
		return state{sum: s.p.toldSum(m)}
	}
	return state{}
}

// marks says which of the functions in an outermost one are hot, and whether it is part of a step module.
func (h *hotPath) marks(top *Func) string {
	if m := top.mod; m.hotMarks == nil {
		m.hotMarks = map[*Func]string{}
		protocol := byte('-')
		if h.protocol(m) {
			protocol = 'p'
		}
		var at *Func
		var text []byte
		for _, f := range m.all {
			if f.top != at {
				if at != nil {
					m.hotMarks[at] = string(text)
				}
				at, text = f.top, []byte{protocol}
			}
			mark := byte('-')
			if _, hot := h.info[f]; hot {
				mark = 'h'
			}
			text = append(text, mark)
		}
		if at != nil {
			m.hotMarks[at] = string(text)
		}
	}
	return top.mod.hotMarks[top]
}

// meaning is a symbol as text: what it names, and what is asked of a function before its text is read.
func (h *hotPath) meaning(s symbol) string {
	switch {
	case s.fn != nil:
		return fmt.Sprintf("f %s %s %d %d %t %t %t", s.fn.Path, s.fn.Name, s.fn.dup, s.fn.Kind, s.fn.kernel, s.fn.tuned(), h.protocol(s.fn.mod))
	case s.cls != nil:
		return fmt.Sprintf("c %s %s %d", s.cls.Path, s.cls.Name, s.cls.dup)
	case s.mod != nil:
		return "m " + s.mod.path
	case s.ext != "":
		return "e " + s.ext
	case s.val != nil:
		return "v " + s.val.mod.path + " " + s.val.name
	}
	return "-"
}

// answer is what a class says.
func (h *hotPath) answer(c *Class, ask classAsk, arg string) state {
	switch ask {
	case askShape:
		return state{c.shapeSum(), fmt.Sprint(c.madeHot)}
	case askMethod:
		return state{text: h.meaning(symbol{fn: c.member(arg)})}
	case askSuper:
		name, rest, _ := strings.Cut(arg, " ")
		for _, k := range c.mro {
			if rest == fmt.Sprintf("%d %s %s", k.dup, k.Name, k.Path) {
				return state{text: h.meaning(symbol{fn: c.methodAfter(k, name)})}
			}
		}
		return state{text: "not an ancestor"}
	case askStores:
		return state{text: funcList(c.stores[arg])}
	case askBody:
		return state{sum: c.body[arg], text: "."}
	case askNested:
		return state{text: h.meaning(symbol{cls: c.mod.nested(c.Name + "." + arg)})}
	case askMethods:
		var fs []*Func
		for _, name := range sortedKeys(c.methods) {
			fs = append(fs, c.methods[name])
		}
		return state{text: funcList(fs)}
	case askMakers:
		return state{text: fmt.Sprint(funcList(c.makers), c.madeHot, c.makersHot)}
	case askFields:
		n, err := strconv.Atoi(arg)
		if err != nil {
			n = math.MaxInt
		}
		return state{text: fmt.Sprintf("%q", c.firstFields(n))}
	}
	return state{}
}

func funcList(fs []*Func) string {
	b := []byte{'.'}
	for _, f := range fs {
		b = fmt.Appendf(b, " %s %s %d", f.Path, f.Name, f.dup)
	}
	return string(b)
}

// shapeSum is the digest of a class's ancestors, inside the project and outside.
func (c *Class) shapeSum() digest {
	if c.shape == (digest{}) {
		h := sha256.New()
		for _, k := range c.mro {
			_, _ = fmt.Fprintf(h, "%q %q %d\n", k.Path, k.Name, k.dup) // a hash never fails
		}
		_, _ = fmt.Fprintf(h, "%q %t", c.ext, c.data)
		c.shape = sumOf(h)
	}
	return c.shape
}

// refs finds functions and classes by name.
type refs struct {
	funcs   map[ref]*Func
	classes map[ref]*Class
}

type ref struct {
	name string
	dup  int
}

func (m *module) find() *refs {
	if m.refs == nil {
		m.refs = &refs{make(map[ref]*Func, len(m.all)), make(map[ref]*Class, len(m.allCls))}
		for _, f := range m.all {
			m.refs.funcs[ref{f.Name, f.dup}] = f
		}
		for _, c := range m.allCls {
			m.refs.classes[ref{c.Name, c.dup}] = c
		}
	}
	return m.refs
}

// function finds most functions by what the index of the file has already, and makes a table for the others: those in
// functions, and the second of a name.
func (m *module) function(name string, dup int) *Func {
	f := m.funcs[name]
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		if c := m.classes[name[:i]]; c != nil {
			f = c.methods[name[i+1:]]
		}
	}
	if f != nil && f.mod == m && f.Name == name && f.dup == dup {
		return f
	}
	return m.find().funcs[ref{name, dup}]
}

func (m *module) class(name string, dup int) *Class {
	if c := m.classes[name]; c != nil && c.Name == name && c.dup == dup {
		return c
	}
	return m.find().classes[ref{name, dup}]
}
