package checks

import (
	"sync"

	"github.com/gatebot/gatebot/internal/pyast"
)

// unit is a module with its tree. Functions, classes and lambdas are made when they are first asked for. It may be used
// from several goroutines.
type unit struct {
	mod     *module
	syntax  *pyast.Tree
	tree    *pyast.Module // the outline: no bodies of functions
	funcs   map[*Func]*pyast.FuncDef
	classes map[*Class]*pyast.ClassDef
	lambdas map[uint32]*pyast.Lambda // by offset
	known   map[*pyast.FuncDef]*about
	mu      sync.Mutex // of the four maps
	used    int64
	cost    int64
}

// What a unit takes, in bytes: measured on vLLM, a lowered tree takes 7 for each byte of source.
const (
	nodeCost = 16
	astCost  = 7
)

func newUnit(m *module, src []byte, t *pyast.Tree) (*unit, error) {
	outline, err := t.Outline()
	if err != nil {
		return nil, err
	}
	return &unit{mod: m, syntax: t, tree: outline, funcs: map[*Func]*pyast.FuncDef{}, classes: map[*Class]*pyast.ClassDef{},
		lambdas: map[uint32]*pyast.Lambda{}, cost: int64(t.Nodes())*nodeCost + int64(len(src))}, nil
}

// function is the syntax of f; nil when the file has changed under the scan.
func (u *unit) function(f *Func) *pyast.FuncDef {
	u.mu.Lock()
	defer u.mu.Unlock()
	d, ok := u.funcs[f]
	if !ok {
		d, _ = u.syntax.Func(f.off) // an error is a broken tree: nothing is known of the function
		u.funcs[f] = d
		if d != nil {
			u.mod.trees.grow(u, int64(d.EndOff-d.Off)*astCost)
		}
	}
	return d
}

// class is the syntax of c without the bodies of its methods.
func (u *unit) class(c *Class) *pyast.ClassDef {
	u.mu.Lock()
	defer u.mu.Unlock()
	d, ok := u.classes[c]
	if !ok {
		d, _ = u.syntax.Class(c.off)
		u.classes[c] = d
	}
	return d
}

// lambda finds a lambda by its offset.
func (u *unit) lambda(off uint32) *pyast.Lambda {
	u.mu.Lock()
	defer u.mu.Unlock()
	l, ok := u.lambdas[off]
	if !ok {
		l, _ = u.syntax.Lambda(off)
		u.lambdas[off] = l
	}
	return l
}
