package checks

import (
	"context"
	"fmt"

	"github.com/gatebot/gatebot/internal/pyast"
)

// Bounds of the interpretation. They are far above what code needs to be understood and keep a scan finite and fast
// on code that is written to explode.
const (
	maxDepth      = 12      // calls inside calls
	maxWork       = 200_000 // expressions per entry point
	maxLoops      = 3       // turns of a loop until its values must have settled
	maxRecurse    = 2       // activations of one function
	maxInitWork   = 8_000   // expressions per constructor
	maxQuietDepth = 6       // calls inside calls where only values are wanted
	maxMemo       = 4096    // results of calls
	maxFlow       = 12      // steps of evidence
	maxExprNest   = 400     // nesting of one expression
)

// interp is the abstract interpreter. It is used by one goroutine.
type interp struct {
	ctx      context.Context
	p        *project
	hot      *hotPath
	opts     *Options
	hooks    *hooks
	memo     map[callKey]*Value
	sig      []byte // room for a signature
	objects  map[*Class]*classState
	globals  map[globalVar]*Value
	named    map[nameIn]*Value  // other names at the top level of modules, nil for those that are none
	plain    map[string]*Value  // names that nothing in the project gives a meaning
	outside  map[attrIn]*Value  // attributes of things outside of the project
	methods  map[methodIn]*Func // that were asked for
	args     []Arg              // of the calls that are being evaluated
	spent    []*Call            // descriptions of calls that have ended
	callers  map[*Func]bool     // functions that were interpreted in a hot context with the arguments of a caller
	followed []*Func            // the same in order
	// madeAt and makersRan are what the makers of data classes store.
	madeAt    map[*Class]map[string]places
	makersRan map[*Class]bool
	untold    map[*Class]bool   // some of its makers could not be looked at
	makerHot  bool              // the maker that is being looked at is on the hot path
	making    int               // makers that are being looked at
	handings  map[param]handing // what callers on the hot path hand in
	// switches are the variables of modules that hold a switch of the environment which is off.
	switches   map[globalVar]bool
	sink       *sink
	frames     []*frame
	quiet      int // above 0: values only, no events
	work       int
	limit      int // work of an entry, maxWork
	nextObj    int
	nest       int
	trace      *tracer
	failed     map[string]error // files whose tree cannot be had
	blocks     map[blockAt]*progress
	blockOrder []blockAt
	keptIn     map[*module][]string
	told       map[*module]string // their telling lines
	rest       *rest              // set in the last turn
	asked      *asked
	around     bool // set while functions around the captures are looked at

	// states are shared; level, deps, cut and height are where this interpreter stands among them.
	states   *states
	level    int
	base     int // calls around the first frame
	deps     []*stateBasis
	cut      bool
	height   int
	adopted  map[*Value]*Value
	objectOf map[*Object]*Object
	envOf    map[*env]*env
}

// frame is one activation of a function.
type frame struct {
	in     *interp
	u      *unit
	fn     *Func
	node   pyast.Node
	env    *env
	loop   int
	loops  []*loopState
	once   int // tests around the place that let it run on first use only
	guards []guard
	values *exprValues
	ret    *Value
	yield  *Value
	gen    bool
	self   *Value
	site   int // line of the call that made it, 0 for an entry
	from   *frame
	pass   Pass // see each
}

type loopState struct{ breaks, continues *env }

func newInterp(ctx context.Context, p *project, hot *hotPath, hooks *hooks, sink *sink) *interp {
	return &interp{ctx: ctx, p: p, hot: hot, opts: p.opts, hooks: hooks, memo: map[callKey]*Value{},
		objects: map[*Class]*classState{}, globals: map[globalVar]*Value{}, named: map[nameIn]*Value{}, plain: map[string]*Value{},
		outside: map[attrIn]*Value{}, methods: map[methodIn]*Func{}, callers: map[*Func]bool{},
		switches: map[globalVar]bool{}, handings: map[param]handing{},
		madeAt: map[*Class]map[string]places{}, makersRan: map[*Class]bool{}, untold: map[*Class]bool{}, limit: maxWork, sink: sink,
		failed: map[string]error{}, blocks: map[blockAt]*progress{}, keptIn: map[*module][]string{}, told: map[*module]string{}, asked: newAsked(),
		level: stateLevels, adopted: map[*Value]*Value{}, objectOf: map[*Object]*Object{}, envOf: map[*env]*env{}}
}

// runEntry interprets one hot function on its own: as a root, or because nobody who calls it was seen.
func (in *interp) runEntry(f *Func) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error while looking at %s: %v", f.Name, r)
			in.quiet, in.nest, in.frames, in.args = 0, 0, in.frames[:0], in.args[:0]
		}
	}()
	in.work = in.limit
	u, node := in.syntax(f)
	if node == nil {
		return nil
	}
	args := in.entryArgs(u, f, node)
	fr := in.activate(u, f, node, node.Body, nil, nil)
	in.bindEntry(fr, node, args)
	in.run(fr, node.Body)
	return nil
}

// syntax returns the tree of a function.
func (in *interp) syntax(f *Func) (*unit, *pyast.FuncDef) {
	in.asked.funcs[f.top] = true
	if f.Class != nil {
		in.asked.of(f.Class, askShape, "")
	}
	u := in.unit(f.mod)
	if u == nil {
		return nil, nil
	}
	return u, u.function(f)
}

func (in *interp) unit(m *module) *unit {
	if in.failed[m.path] != nil {
		return nil
	}
	u, err := in.p.trees.get(in.ctx, m)
	if err != nil {
		in.failed[m.path] = err
		return nil
	}
	return u
}

// depth is how many calls are inside each other. What stands for all objects of a class is asked for from a function that
// is looked at, and is as far from the details of others as if it were made there.
func (in *interp) depth() int { return in.base + len(in.frames) }

func (in *interp) top() *frame {
	if len(in.frames) == 0 {
		return nil
	}
	return in.frames[len(in.frames)-1]
}

// activate makes the frame of a call. Guards around the call hold inside it.
func (in *interp) activate(u *unit, f *Func, node pyast.Node, _ []pyast.Stmt, closure *env, site pyast.Node) *frame {
	fr := &frame{in: in, u: u, fn: f, node: node, env: newEnv(closure)}
	fr.pass.in, fr.pass.fr = in, fr
	hint := 0
	if f != nil {
		hint = int(f.exprs.Load()) // of the last time: growing the table by doubling costs as much again
	}
	fr.values = takeValues(hint)
	if from := in.top(); from != nil {
		fr.from = from
		fr.guards = from.guards
		fr.loop = 0
		fr.once = from.once
		if site != nil {
			fr.site = int(site.Pos().Start.Line)
		}
	}
	return fr
}

// run executes a body and returns what the function returns.
func (in *interp) run(fr *frame, body []pyast.Stmt) *Value {
	if cached(fr.fn, fr.node) {
		fr.once++
	}
	if Raises(body) {
		fr.once++ // it says what went wrong
	}
	if def, ok := fr.node.(*pyast.FuncDef); ok && fr.once > 0 && fr.u.captures(def) {
		fr.once = 0 // what is captured once runs in every replay
	}
	in.frames = append(in.frames, fr)
	nest := in.nest
	in.nest = 0
	if in.quiet == 0 && in.hooks != nil {
		in.hooks.function(in, fr)
	}
	fr.block(body)
	if in.emits() {
		in.hooks.done(fr)
	}
	if fr.fn != nil {
		fr.fn.exprs.Store(int32(fr.values.n))
	}
	fr.ended()
	in.nest = nest
	in.frames = in.frames[:len(in.frames)-1]
	if fr.gen {
		return list(fr.yield)
	}
	if fr.ret == nil {
		return none
	}
	if !fr.env.dead && fr.ret != nil { // also falls off the end
		return optional(fr.ret)
	}
	return fr.ret
}

// ended gives back what the expressions of a frame were taken for: nobody looks at a function that has returned.
func (fr *frame) ended() {
	fr.values.end()
	fr.values = nil
}

// budget takes n units of work and reports whether there is any left. The context is looked at now and then.
func (in *interp) budget(n int) bool {
	in.work -= n
	if in.work&1023 == 0 && in.ctx.Err() != nil {
		in.work = 0
	}
	return in.work > 0
}

// step is the evidence of one thing that happens to v at n: what happens, and to which name.
func (fr *frame) step(v *Value, n pyast.Node, note, name string) *Value {
	if v == nil || v.Kind != KindTensor {
		return v
	}
	pos := n.Pos()
	f := &Flow{Prev: v.Flow, Path: fr.u.mod.path, Line: int(pos.Start.Line), off: pos.Off, end: pos.EndOff, n: 1}
	if v.Flow != nil {
		if v.Flow.n >= maxFlow || v.Flow.off == f.off && v.Flow.end == f.end && v.Flow.Path == f.Path {
			return v
		}
		f.n = v.Flow.n + 1
	}
	f.Note = note + name
	return v.with(func(c *Value) { c.Flow = f })
}

// names is the chain of functions that are active, root first.
func (in *interp) stack() []*Func {
	out := make([]*Func, 0, len(in.frames))
	for _, fr := range in.frames {
		if fr.fn != nil && (len(out) == 0 || out[len(out)-1] != fr.fn) {
			out = append(out, fr.fn)
		}
	}
	return out
}

// active counts the activations of f.
func (in *interp) active(f *Func) int {
	n := 0
	for _, fr := range in.frames {
		if fr.fn == f {
			n++
		}
	}
	return n
}

// newObject makes the mutable part of an instance or dict.
func (in *interp) newObject() *Object {
	in.nextObj++
	return &Object{id: in.nextObj, attrs: map[string]*Value{}, early: true}
}
