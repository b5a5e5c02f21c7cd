package checks

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gatebot/gatebot/internal/pyast"
)

// indexFile summarizes a tree so that the tree can go. Functions and classes get ordinals in source order; their
// offsets find them again in a fresh tree. Defs, unless it is nil, is given the syntax of each function.
func indexFile(f File, tree *pyast.Module, defs map[*Func]*pyast.FuncDef) *module {
	m := &module{path: f.Path, file: f, size: f.Size, imports: map[string]target{}, funcs: map[string]*Func{},
		classes: map[string]*Class{}, vars: map[string]bool{}}
	m.pkg = strings.HasSuffix(f.Path, "/__init__.py") || f.Path == "__init__.py"
	m.setsDev = bytes.Contains(tree.Source, []byte("set_default_device")) ||
		bytes.Contains(tree.Source, []byte("set_default_tensor_type"))
	m.entersDev = entersDevice(tree.Source)
	m.kept = keptFields(tree.Source)
	m.sum = digestOf(tree.Source)
	ix := &indexer{m: m, tree: tree, same: map[string]int{}, defs: defs}
	ix.block(tree.Body, nil, nil, "")
	m.finishPlaces(tree.Source)
	ix.settle()
	m.marks = suppressionMarks(tree)
	m.allowed = allowedSpans(tree)
	return m
}

// deviceContext is `with torch.device(…):` or `with target_device:`, and not `with torch.cuda.device(1):`, which
// changes the current card and not the default of factories.
var deviceContext = regexp.MustCompile(`^with (?:torch\.device\(.*|[\w.]*device)(?:,.*)?:`)

// entersDevice looks at lines that begin with the word, since to match a whole file takes as long as a third of parsing it.
func entersDevice(src []byte) bool {
	for line := range bytes.Lines(src) {
		line = bytes.TrimLeft(line, " \t\f\r")
		if bytes.HasPrefix(line, []byte("with ")) && deviceContext.Match(line) {
			return true
		}
	}
	return false
}

type indexer struct {
	m    *module
	tree *pyast.Module
	same map[string]int // functions and classes so far, by qualified name
	defs map[*Func]*pyast.FuncDef
	// lendings are settled at the end.
	lendings []lending
}

// block indexes statements of a scope: the module (fn and cls nil), a class body or a function body.
func (ix *indexer) block(body []pyast.Stmt, fn *Func, cls *Class, prefix string) {
	walkStmts(body, func(n pyast.Node) bool {
		switch n := n.(type) {
		case *pyast.FuncDef:
			ix.function(n, fn, cls, prefix)
			return false
		case *pyast.ClassDef:
			ix.class(n, fn, prefix)
			return false
		case *pyast.Import:
			ix.imports(n)
		case *pyast.ImportFrom:
			ix.importFrom(n)
		case *pyast.Call:
			ix.setattr(fn, n)
		case *pyast.Assign:
			for _, t := range n.Targets {
				ix.lent(fn, t, n.Value, n.Span)
			}
			if fn == nil && cls == nil {
				ix.tupleClass(n)
				for _, t := range n.Targets {
					ix.global(t, n.Value)
					ix.defines(t, n)
				}
			}
			if fn != nil {
				for _, t := range n.Targets {
					ix.bind(fn, t, n.Value, nil)
				}
			}
		case *pyast.AnnAssign:
			switch name, ok := n.Target.(*pyast.Name); {
			case ok && cls != nil && fn == nil:
				cls.fields = append(cls.fields, name.ID)
			case ok && fn == nil:
				ix.global(n.Target, n.Value)
				ix.defines(n.Target, n)
			}
			if fn != nil {
				ix.bind(fn, n.Target, n.Value, n.Annotation)
			}
		}
		if fn != nil {
			return ix.ref(fn, n)
		}
		return true
	})
}

// global notes a variable at the top level and what is assigned to it.
func (ix *indexer) global(t, value pyast.Expr) {
	switch t := t.(type) {
	case *pyast.Name:
		_, again := ix.m.vars[t.ID]
		_, dict := value.(*pyast.Dict)
		ix.m.vars[t.ID] = dict && !again
	case *pyast.Tuple:
		for _, e := range t.Elts {
			ix.global(e, nil)
		}
	}
}

func (ix *indexer) imports(n *pyast.Import) {
	for _, a := range n.Names {
		if a.As != "" {
			ix.m.imports[a.As] = target{module: a.Name}
			continue
		}
		first, _, _ := strings.Cut(a.Name, ".")
		ix.m.imports[first] = target{module: first}
	}
}

func (ix *indexer) importFrom(n *pyast.ImportFrom) {
	mod := strings.Repeat(".", n.Level) + n.Module
	for _, a := range n.Names {
		if a.Name == "*" {
			ix.m.stars = append(ix.m.stars, target{module: mod})
			continue
		}
		as := a.As
		if as == "" {
			as = a.Name
		}
		ix.m.imports[as] = target{module: mod, name: a.Name}
	}
}

func (ix *indexer) class(n *pyast.ClassDef, outer *Func, prefix string) {
	c := &Class{Path: ix.m.path, Name: prefix + n.Name, Line: int(n.Start.Line), mod: ix.m, off: n.Off,
		short: n.Name, methods: map[string]*Func{}, attrs: map[string][]string{},
		stores: map[string][]*Func{}, dup: ix.nth("class " + prefix + n.Name)}
	for _, b := range n.Bases {
		if b.Name != "" {
			continue
		}
		e := b.Value
		if s, ok := e.(*pyast.Subscript); ok {
			e = s.X // Generic[T]
		}
		if d, ok := dotted(e); ok {
			c.bases = append(c.bases, d)
			switch last(d) {
			case "NamedTuple", "TypedDict", "Struct", "BaseModel":
				c.data = true
			}
		}
	}
	for _, d := range n.Decorators {
		if call, ok := d.(*pyast.Call); ok {
			d = call.Func
		}
		if name, ok := dotted(d); ok && strings.HasSuffix(last(name), "dataclass") {
			c.data = true
		}
	}
	ix.m.allCls = append(ix.m.allCls, c)
	if prefix == "" {
		if _, dup := ix.m.classes[n.Name]; !dup {
			ix.m.classes[n.Name] = c
		}
	}
	ix.block(n.Body, nil, c, c.Name+".")
	c.ownData = c.data
	ix.classBody(c, n)
	_ = outer
}

func (ix *indexer) function(n *pyast.FuncDef, outer *Func, cls *Class, prefix string) {
	f := &Func{Path: ix.m.path, Name: prefix + n.Name, Line: int(n.Start.Line), mod: ix.m, ord: len(ix.m.all), off: n.Off,
		short: n.Name, outer: outer, dup: ix.nth(prefix + n.Name)}
	f.from, f.end = ix.extent(n)
	ix.m.all = append(ix.m.all, f)
	if ix.defs != nil {
		ix.defs[f] = n
	}
	for _, d := range n.Decorators {
		ix.decorator(f, d)
	}
	if cls != nil && outer == nil {
		f.Class = cls
		if f.Kind == FuncPlain {
			f.Kind = FuncMethod
		}
		// A property's setter has the same name: the first one, the getter, stays.
		if prev, dup := cls.methods[n.Name]; !dup || prev.Kind != FuncProperty {
			cls.methods[n.Name] = f
		}
	}
	switch {
	case outer != nil:
		if outer.inner == nil {
			outer.inner = map[string]*Func{}
		}
		outer.inner[n.Name] = f
		f.Class = outer.Class
		f.Kind = FuncPlain
	case cls == nil:
		if _, dup := ix.m.funcs[n.Name]; !dup || outer == nil {
			ix.m.funcs[n.Name] = f
		}
	}
	for _, p := range n.Params {
		if p.Star == 0 {
			f.params = append(f.params, p.Name)
		}
		if p.Annotation != nil {
			f.locals = append(f.locals, local{p.Name, ix.tree.Text(p.Annotation)})
		}
	}
	ix.block(n.Body, f, cls, f.Name+".")
	f.refs = unique(f.refs)
}

func (ix *indexer) decorator(f *Func, d pyast.Expr) {
	if call, ok := d.(*pyast.Call); ok {
		d = call.Func
	}
	name, ok := dotted(d)
	if !ok {
		return
	}
	switch last(name) {
	case "staticmethod":
		f.Kind = FuncStatic
	case "classmethod":
		f.Kind = FuncClassMethod
	case "property", "cached_property", "lazy_property", "getter":
		f.Kind = FuncProperty
	}
	f.kernel = f.kernel || kernelDecorator(name)
	f.decos = append(f.decos, name)
}

// kernelDecorator reports whether a decorator makes a function a program for the device.
func kernelDecorator(name string) bool {
	if first, _, _ := strings.Cut(name, "."); first == "torch" || first == "jax" {
		return false
	}
	switch last(name) {
	case "jit", "kernel", "prim_func", "autotune", "heuristics":
		return true
	}
	return false
}

// bind remembers which classes an assignment names: `self.moe = MoE(…)`, `x = Foo(…)`, `self.cfg: Config = cfg`.
func (ix *indexer) bind(f *Func, t, value, annotation pyast.Expr) {
	switch t := t.(type) {
	case *pyast.Name:
		if annotation != nil {
			f.locals = append(f.locals, local{t.ID, ix.tree.Text(annotation)})
		} else if call, ok := value.(*pyast.Call); ok {
			if d, ok := dotted(call.Func); ok && classLike(d) {
				f.locals = append(f.locals, local{t.ID, d})
			}
		}
	case *pyast.Tuple:
		for _, e := range t.Elts {
			ix.bind(f, e, nil, nil)
		}
	case *pyast.Attr:
		self, ok := t.X.(*pyast.Name)
		if !ok || self.ID != "self" || f.Class == nil {
			return
		}
		names := f.Class.attrs[t.Name]
		if annotation != nil {
			names = append(names, ix.tree.Text(annotation))
		}
		if ms := f.Class.stores[t.Name]; len(ms) == 0 || ms[len(ms)-1] != f {
			f.Class.stores[t.Name] = append(ms, f)
		}
		pyast.Walk(value, func(n pyast.Node) bool {
			switch n := n.(type) {
			case *pyast.Call:
				if d, ok := dotted(n.Func); ok && classLike(d) {
					names = append(names, d)
				}
			case *pyast.Name:
				for _, l := range f.locals {
					if l.name == n.ID {
						names = append(names, l.class)
					}
				}
			}
			return true
		})
		f.Class.attrs[t.Name] = unique(names)
	}
}

// ref records what a function mentions. It answers whether to look inside the node.
func (ix *indexer) ref(f *Func, n pyast.Node) bool {
	switch n := n.(type) {
	case *pyast.Call:
		if r, ok := prefixRef(n); ok {
			f.refs = append(f.refs, r)
		}
	case *pyast.Name:
		f.refs = append(f.refs, n.ID)
	case *pyast.Attr:
		if d, ok := dotted(n); ok {
			f.refs = append(f.refs, d)
			return false
		}
		if call, ok := n.X.(*pyast.Call); ok {
			if name, ok := call.Func.(*pyast.Name); ok && name.ID == "super" {
				f.refs = append(f.refs, "super()."+n.Name)
				return false
			}
		}
		f.refs = append(f.refs, "."+n.Name)
	}
	return true
}

func last(dotted string) string { return dotted[strings.LastIndexByte(dotted, '.')+1:] }

func classLike(d string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(last(d), "_"))
	return unicode.IsUpper(r)
}

func unique(ss []string) []string {
	if len(ss) < 2 {
		return ss
	}
	seen := make(map[string]bool, len(ss))
	out := ss[:0]
	for _, s := range ss {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return append(make([]string, 0, len(out)), out...)
}
