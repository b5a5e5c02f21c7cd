package checks

import (
	"slices"
	"strings"
)

// hotness says how a function is reached from a root: from is nil for a root. open is set when the root is one that
// nobody calls and nothing names (see hotPath.open): then what is found may be in nobody's step.
type hotness struct {
	from *Func
	dist int
	open bool
}

// coldNames are functions that run at load time, at warm-up, around a capture, or never in a step, whoever calls them.
var coldNames = []string{"__init__", "__new__", "__post_init__", "__del__", "__repr__", "__str__", "__reduce__",
	"__getstate__", "__setstate__", "__init_subclass__", "__class_getitem__", "load_weights", "load_weight", "load_model",
	"load_state_dict", "_load_*", "load_from_*", "from_pretrained", "from_config", "save_pretrained", "warmup*", "warm_up*",
	"_warmup*", "_warm_up*", "*_warmup", "capture*", "_capture*", "profile*", "_profile*", "bench*", "_bench*",
	"extra_repr", "reset_parameters", "init_weights", "_init_*", "create_weights", "post_init", "process_weights*",
	"*weight_loader*", "state_dict", "_load_from_state_dict", "test_*", "setUp", "tearDown", "main", "_dummy_run",
	"make_dummy_*", "get_dummy_*", "dummy_*", "parse_args", "add_cli_args", "export*", "initialize*", "_initialize*",
	"configure_*", "_configure_*", "setup", "setup_*", "_setup_*", "connect", "*validat*", "register_*", "shutdown", "_maybe_save*", "dump_*", "_dump_*", "*_loss", "*_loss_*", "loss_*", "compile_*",
	"_compile*", "_maybe_compile*", "add_adapter*", "_add_adapter*", "load_adapter*", "add_lora*", "load_lora*",
	"*_for_cudagraph_capture", "*_for_capture", "*_capture", "*_capture_*", "_create_graph*", "create_graph*", "*teardown*",
	"timed_*", "preprocess_image*", "preprocess_video*", "create_from_*", "*_torch_reference", "materialize_mps*", "release_mps*"}

// coldPaths are never hot by default: what runs there is a test, a measurement or an example of use.
var coldPaths = []string{"tests/**", "**/tests/**", "test/**", "**/test/**", "test_*.py", "*_test.py", "conftest.py",
	"**/image_processing*.py", "**/*_image_processing*.py", "**/*_image_processor*.py", "**/video_processing*.py", "**/feature_extraction*.py", "**/processing_*.py", "**/processors/**",
	"**/tokenization*.py", "**/loss/**", "loss_*.py", "**/benchmarks/**", "benchmarks/**", "benchmark/**", "**/benchmark/**", "bench_*.py", "docs/**", "examples/**", "**/examples/**", "setup.py"}

type hotPath struct {
	p     *project
	opts  *Options
	info  map[*Func]hotness
	order []*Func            // in the order of distance
	count map[string][]*Func // methods by name, made on demand
	// called are hot functions that another hot function calls.
	called map[*Func]bool
	plain  map[string]*Func // functions at the top level by name, nil for names of several; made on demand
	wiring *wiring          // of the memory, when there is one
}

// findHot computes what runs in a step.
func findHot(p *project, opts *Options) *hotPath {
	h := &hotPath{p: p, opts: opts, info: map[*Func]hotness{}, called: map[*Func]bool{}, wiring: newWiring()}
	if p.memory != nil {
		h.wiring = p.memory.wiring
	}
	h.wiring.turn(p)
	var roots, opens []*Func // the second are roots only because nobody calls them
	for _, m := range p.modules {
		for _, f := range m.all {
			if !opts.AllFunctions || opts.SkipCold {
				natureOf(f) // now: tasks that run side by side ask for it
			}
			switch root, open := h.root(f); {
			case open:
				opens = append(opens, f)
			case root:
				roots = append(roots, f)
			}
		}
	}
	h.follow(roots, false)
	h.follow(opens, true)
	p.findMakers(h.info)
	h.wiring.heat(h)
	h.wanted()
	if p.memory == nil {
		// What a function mentions is not needed any more, and it is half of the index.
		for _, m := range p.modules {
			used := false
			for _, f := range m.all {
				f.refs, f.packed, f.locals, f.wires = nil, nil, nil, nil
				_, hot := h.info[f]
				used = used || hot || f.setup()
			}
			if !used { // its tree is asked for by what a class of it leaves in attributes, if by anything
				p.trees.release(m)
			}
			m.makes, m.aliases, m.aliasFrom, m.filter = nil, nil, nil, nil
		}
	}
	h.count, h.plain, h.wiring = nil, nil, nil
	return h
}

// follow adds roots, and what they lead to.
func (h *hotPath) follow(roots []*Func, open bool) {
	next := len(h.order)
	for _, f := range roots {
		h.add(f, nil, open)
	}
	for ; next < len(h.order); next++ {
		f := h.order[next]
		h.each(f, func(callee *Func) {
			h.called[callee] = true
			h.add(callee, f, open)
		})
	}
}

// each calls f for what fn calls, mentions by name, or reads as a property.
func (h *hotPath) each(fn *Func, f func(*Func)) {
	for _, s := range h.wired(fn) {
		f(s.cur)
	}
}

func (h *hotPath) add(f, from *Func, open bool) {
	if deviceCode(f) {
		return
	}
	if _, seen := h.info[f]; seen || h.cold(f) && (from != nil || !h.explicit(f)) {
		return
	}
	info := hotness{from: from, open: open}
	if from != nil {
		info.dist = h.info[from].dist + 1
	}
	h.info[f] = info
	h.order = append(h.order, f)
}

// kernelDecorators mark functions that are compiled for the device: their `if` is an instruction there and reads nothing
// on the host.
var kernelDecorators = set("triton.jit cute.kernel cute.jit cutlass.cute.kernel cutlass.cute.jit T.prim_func cuda.jit " +
	"numba.cuda.jit wp.kernel wp.func warp.kernel warp.func tilelang.jit gluon.jit")

// deviceCode reports whether f, or a function around it, is such a function.
func deviceCode(f *Func) bool {
	for ; f != nil; f = f.outer {
		for _, d := range f.decos {
			if kernelDecorators[d] {
				return true
			}
		}
	}
	return false
}

// explicit reports whether the configuration names f as a root.
func (h *hotPath) explicit(f *Func) bool {
	return h.opts.AllFunctions || matchAnySelector(h.opts.Roots, f.Path, f.Name)
}

// root reports whether a step starts in f, and whether that is only because nobody calls it.
func (h *hotPath) root(f *Func) (root, open bool) {
	if f.kernel {
		return false, false
	}
	if h.opts.AllFunctions {
		return true, false
	}
	if h.protocol(f.mod) && f.outer == nil && f.Class == nil {
		return f.short == "step", false
	}
	if len(h.opts.Roots) > 0 {
		return matchAnySelector(h.opts.Roots, f.Path, f.Name), false
	}
	return h.defaultRoot(f)
}

// protocol reports whether m is a step module (DESIGN 5.4).
func (h *hotPath) protocol(m *module) bool { return m.protocol() }

func (m *module) protocol() bool {
	b, s := m.funcs["build"], m.funcs["step"]
	return b != nil && s != nil && len(b.params) == 1 && len(s.params) == 2
}

// cold reports whether f never runs in a step.
func (h *hotPath) cold(f *Func) bool {
	return f.kernel || !h.opts.AllFunctions && h.coldByItself(f)
}

// coldByItself is cold for an f that is no kernel, also where every function is looked at.
func (h *hotPath) coldByItself(f *Func) bool {
	if matchAnySelector(h.opts.LoadTime, f.Path, f.Name) {
		return true
	}
	if f.Class == nil && f.outer == nil && (f.short == "build" || f.short == "prepare" || f.short == "bucket" ||
		f.short == "regions") && h.protocol(f.mod) {
		return true
	}
	return natureOf(f)&natureCold != 0
}

// coldByName reports whether f never runs in a step, by its name and by where it stands.
func coldByName(f *Func) bool {
	if coldName(f.short) {
		return true
	}
	if f.Class != nil && (strings.HasSuffix(f.Class.short, "Loss") || strings.HasSuffix(f.Class.short, "Criterion")) {
		return true // for training
	}
	if f.Class != nil && strings.HasPrefix(f.Class.short, "CPU") {
		return true // a backend for hosts without a device
	}
	if f.Class == nil && (strings.HasSuffix(f.short, "_cpu") || strings.HasPrefix(strings.TrimPrefix(f.short, "_"), "cpu_")) ||
		f.short == "forward_cpu" {
		return true // the twin of a kernel, for hosts without a device
	}
	if f.mod.debugging() {
		return true
	}
	// What a debugging decorator wraps around a function is off in production with it.
	for o := f; o != nil; o = o.outer {
		if debugName(o.short) && !rootName(o.short) {
			return true
		}
	}
	return false
}

// chain is the way from a root to f, root first.
func (h *hotPath) chain(f *Func) []*Func {
	var out []*Func
	for f != nil && len(out) < 64 {
		out = append(out, f)
		f = h.info[f].from
	}
	slices.Reverse(out)
	return out
}
