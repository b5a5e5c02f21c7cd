package checks

import (
	"strings"

	"github.com/gatebot/gatebot/internal/pyast"
)

// lending is a loan as it is written. The function may be defined further down.
type lending struct {
	outer            *Func
	target, attr, fn string
	always           bool // the statement runs whenever the file is loaded
	static           bool // it gets no self
	method           bool // it is bound to the target
}

// lent notes what an assignment to an attribute or a call of setattr lends.
func (ix *indexer) lent(outer *Func, target pyast.Expr, value pyast.Expr, at pyast.Span) {
	a, ok := target.(*pyast.Attr)
	if !ok {
		return
	}
	ix.lend(outer, a.X, a.Name, value, at)
}

func (ix *indexer) setattr(outer *Func, n *pyast.Call) {
	name, ok := n.Func.(*pyast.Name)
	if !ok || name.ID != "setattr" || len(n.Args) != 3 {
		return
	}
	if c, ok := n.Args[1].Value.(*pyast.Const); ok && c.Kind == pyast.ConstString {
		ix.lend(outer, n.Args[0].Value, c.Text, n.Args[2].Value, n.Span)
	}
}

func (ix *indexer) lend(outer *Func, target pyast.Expr, attr string, value pyast.Expr, at pyast.Span) {
	var ok bool
	l := lending{outer: outer, attr: attr, always: outer == nil && at.Start.Col <= 1}
	l.target, _ = dotted(target)
	if call, ok := value.(*pyast.Call); ok && len(call.Args) > 0 {
		switch name, _ := dotted(call.Func); last(name) {
		case "staticmethod":
			l.static = true
		case "MethodType":
			l.method = true
		default:
			return
		}
		value = call.Args[0].Value
	}
	if l.fn, ok = dotted(value); !ok {
		return
	}
	ix.lendings = append(ix.lendings, l)
}

// settle finds the functions and classes of what was lent, once all of the file is known.
func (ix *indexer) settle() {
	m := ix.m
	for _, l := range ix.lendings {
		out := loan{fn: l.function(m), attr: l.attr, class: m.classes[l.target], owner: last(l.target), beside: !l.always}
		if l.outer.hides(l.target) {
			out.class = nil
		}
		if out.class == nil { // of one object: the function gets no self, unless it is bound
			out.class, l.static, out.beside = m.classes[l.outer.local(l.target)], !l.method, true
		}
		if l.target == "self" && l.outer != nil && l.outer.Class != nil && l.outer.Class.methods[l.attr] != nil {
			out.class = l.outer.Class // else it is an attribute as any other
		}
		if out.fn == nil || out.class == nil && !out.root() {
			continue
		}
		if out.class != nil && !l.static && out.fn.Class == nil && out.fn.outer == nil {
			out.fn.Class, out.fn.Kind = out.class, FuncMethod
		}
		m.loans = append(m.loans, out)
		out.fn.bears(l.target + "." + l.attr)
	}
	m.lend()
	for _, l := range m.loans {
		if l.beside && l.class != nil {
			if f := l.class.methods[l.attr]; f != l.fn {
				f.bears(l.fn.Name)
			}
		}
	}
}

// bears makes something that stands elsewhere in the file part of what a task knows when it knows the text of f.
func (f *Func) bears(what string) { f.top.sum = digestOf(f.top.sum[:], []byte(what)) }

// function is what the name means where it stands; nil for a parameter and for what is not of this file.
func (l *lending) function(m *module) *Func {
	if class, method, ok := strings.Cut(l.fn, "."); ok {
		c := m.classes[class]
		if class == "self" && l.outer != nil {
			c = l.outer.Class
		}
		if c == nil {
			return nil
		}
		return c.methods[method]
	}
	for g := l.outer; g != nil; g = g.outer {
		if f := g.inner[l.fn]; f != nil {
			return f
		}
		for _, p := range g.params {
			if p == l.fn {
				return nil
			}
		}
	}
	return m.funcs[l.fn]
}

// hides reports whether a name is a parameter of a function or of one around it.
func (f *Func) hides(name string) bool {
	for ; f != nil; f = f.outer {
		for _, p := range f.params {
			if p == name {
				return true
			}
		}
	}
	return false
}

// local is the class that is written for a local variable or parameter of a function or one around it, "" for none.
func (f *Func) local(name string) string {
	for ; f != nil; f = f.outer {
		for _, l := range f.locals {
			if l.name == name {
				return l.class
			}
		}
	}
	return ""
}
