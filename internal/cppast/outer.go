package cppast

import (
	"bytes"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/treesitter"
)

// outer goes through what lies outside of functions: namespaces, classes, templates, conditions, and the regions that
// could not be read, for the functions that are defined there.
func (l *lowerer) outer(i uint32) { l.outerTo(i, l.nodes[i].Next) }

// outerTo goes through the children of i before end.
func (l *lowerer) outerTo(i, end uint32) {
	if !l.enter(i) {
		l.leave()
		return
	}
	defer l.leave()
	for c := i + 1; c < end; c = l.nodes[c].Next {
		switch l.kind(c) {
		case kFunctionDefinition:
			l.function(c)
		case kNamespace:
			l.inside(c, l.nameOf(l.field(c, l.g.fields.name)), false)
		case kTypeSpec:
			l.inside(c, l.nameOf(l.field(c, l.g.fields.name)), true)
		case kPreprocIf, kPreprocIfdef, kPreprocElif, kPreprocElifdef:
			l.guarded(c)
		case kPreprocElse:
			l.outer(c)
		case kPreprocFunction, kPreprocDef:
			l.macro(c)
		case kPreprocInclude:
			if p := l.field(c, l.g.fields.path); p != none {
				l.file.Includes = append(l.file.Includes, strings.Trim(l.text(p), `"<>`))
			}
		case kComment, kString, kLiteral:
		default:
			l.outer(c)
		}
	}
}

// inside goes through the body of a namespace or class.
func (l *lowerer) inside(i uint32, name string, class bool) {
	scope, depth := l.scope, l.class
	if name != "" {
		l.scope = append(slices.Clip(l.scope), name)
	}
	switch {
	case class && name != "":
		l.class++
	case !class:
		l.class = 0
	}
	if body := l.field(i, l.g.fields.body); body != none {
		l.outer(body)
	}
	l.scope, l.class = scope, depth
}

// guarded goes through the branches of a condition of the preprocessor.
func (l *lowerer) guarded(i uint32) {
	if !l.enter(i) {
		l.leave()
		return
	}
	defer l.leave()
	saved := l.guards
	cond := l.condition(i)
	alternative := l.field(i, l.g.fields.alternative)
	l.guards = append(slices.Clip(saved), cond)
	if alternative == none {
		l.outer(i)
	} else {
		l.outerTo(i, alternative)
	}
	if alternative != none {
		l.guards = append(slices.Clip(saved), "!("+cond+")")
		if l.kind(alternative) == kPreprocElse {
			l.outer(alternative)
		} else {
			l.guarded(alternative)
		}
	}
	l.guards = saved
}

// condition is the condition of #if and its relatives as text.
func (l *lowerer) condition(i uint32) string {
	f := &l.g.fields
	if c := l.field(i, f.condition); c != none {
		return strings.Join(strings.Fields(strings.ReplaceAll(l.text(c), "\\\n", " ")), " ")
	}
	if c := l.field(i, f.name); c != none {
		if l.child(i, kTokIfndef) != none || l.child(i, kTokElifndef) != none {
			return "!defined(" + l.text(c) + ")"
		}
		return "defined(" + l.text(c) + ")"
	}
	return ""
}

// function lowers one definition.
func (l *lowerer) function(i uint32) {
	g := &l.g.fields
	decl := l.declarator(l.field(i, g.declarator))
	if decl == none {
		l.outer(i) // recovery has made a function of something else
		return
	}
	f := &Func{Span: l.span(i), Guards: slices.Clone(l.guards)}
	f.Name, f.Short = l.qualified(l.field(decl, g.declarator))
	f.Class = l.classOf(f)
	switch {
	case l.destructor(l.field(decl, g.declarator)):
		f.Kind = FuncDestructor
	case f.Class != "" && f.Class[strings.LastIndexByte(f.Class, ':')+1:] == f.Short:
		f.Kind = FuncConstructor
	}
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		switch l.kind(c) {
		case kTokGlobal:
			f.Global = true
		case kTokDevice:
			f.Device = true
		case kTokHost:
			f.Host = true
		case kFieldInits:
			for k := c + 1; k < l.nodes[c].Next; k = l.nodes[k].Next {
				if l.kind(k) == kFieldInit {
					f.Inits = append(f.Inits, l.initializer(k)...)
				}
			}
		}
	}
	f.Params = l.params(l.field(decl, g.parameters))
	l.file.Funcs = append(l.file.Funcs, f)
	if body := l.field(i, g.body); body != none {
		f.Body = l.stmts(body)
	} else if body := l.child(i, kTry); body != none {
		f.Body = l.stmts(body)
	}
}

// initializer lowers `member(args)` or `member{args}` of a constructor.
func (l *lowerer) initializer(i uint32) []Expr {
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		if k := l.kind(c); k == kArgumentList || k == kInitializerList {
			return l.exprs(c)
		}
	}
	return nil
}

// declarator steps through pointers and references to the function declarator.
func (l *lowerer) declarator(i uint32) uint32 {
	for i != none {
		switch l.kind(i) {
		case kFunctionDeclarator:
			if d := l.field(i, l.g.fields.declarator); d != none && l.kind(d) == kFunctionDeclarator {
				i = d
				continue
			}
			return i
		case kPointerDeclarator, kReferenceDeclarator:
			next := none
			for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
				if l.part(c) && l.nodes[c].Flags&treesitter.Error == 0 {
					next = c
				}
			}
			i = next
		default:
			return none
		}
	}
	return none
}

func (l *lowerer) destructor(i uint32) bool {
	for ; i != none && l.kind(i) == kQualified; i = l.field(i, l.g.fields.name) {
	}
	return i != none && l.kind(i) == kDestructorName
}

// qualified is the full name of a definition, by the scopes around it and the ones it is written with.
func (l *lowerer) qualified(i uint32) (name, short string) {
	short = l.nameOf(i)
	name = short
	if len(l.scope) > 0 {
		name = strings.Join(l.scope, "::") + "::" + name
	}
	return name, short[strings.LastIndexByte(short, ':')+1:]
}

// classOf is the class of a method: around it, or in its name. `ns::f` and `Class::f` look the same; a class is told by
// its capital, as everywhere in the code that this is about.
func (l *lowerer) classOf(f *Func) string {
	if l.class > 0 {
		return strings.Join(l.scope, "::")
	}
	q := strings.TrimSuffix(strings.TrimSuffix(f.Name, f.Short), "::")
	last := q[strings.LastIndexByte(q, ':')+1:]
	if last != "" && (last[0] >= 'A' && last[0] <= 'Z' || last == f.Short || "~"+last == f.Short) {
		return q
	}
	return ""
}

func (l *lowerer) params(i uint32) []Param {
	if i == none {
		return nil
	}
	var out []Param
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		if k := l.kind(c); k != kParameter && k != kOptionalParameter {
			continue
		}
		p := Param{Type: l.typeText(l.field(c, l.g.fields.typ))}
		if d := l.field(c, l.g.fields.declarator); d != none {
			var suffix string
			p.Name, suffix = l.declared(d)
			p.Type += suffix
		}
		out = append(out, p)
	}
	return out
}

// deviceWords are what makes a macro worth reading.
var deviceWords = [][]byte{[]byte("<<<"), []byte("cuda"), []byte("hip"), []byte("cuMem"), []byte("cuCtx"), []byte("cuStream"),
	[]byte("cuEvent"), []byte("cuLaunch"), []byte("thrust::"), []byte("cub::"), []byte(".item"), []byte(".cpu()")}

// macro remembers the body of a #define that does something on a device.
func (l *lowerer) macro(i uint32) {
	name, value := l.field(i, l.g.fields.name), l.field(i, l.g.fields.value)
	if name == none || value == none || l.kind(i) != kPreprocFunction {
		return
	}
	text := l.src[l.nodes[value].Start:l.nodes[value].End]
	for _, w := range deviceWords {
		if bytes.Contains(text, w) {
			m := macro{name: l.text(name), span: l.span(i), from: l.nodes[value].Start, to: l.nodes[value].End,
				guards: slices.Clone(l.guards)}
			if p := l.field(i, l.g.fields.parameters); p != none {
				for c := p + 1; c < l.nodes[p].Next; c = l.nodes[c].Next {
					if l.kind(c) == kIdentifier {
						m.parameters = append(m.parameters, Param{Name: l.text(c)})
					}
				}
			}
			l.macros = append(l.macros, m)
			return
		}
	}
}
