package checks

import (
	"strings"
	"sync"
	"sync/atomic"
)

// defaultRoots are where a step starts when nothing is configured, by the name of the function alone.
var defaultRoots = []string{"forward", "decode*", "*_step", "step", "backward"}

// rootMethods are methods that serving engines run in every step, by the names of class and method: __call__ of a
// module; what builds the metadata of attention from a batch; what samples, drafts and penalizes; what plans and runs
// attention; what prepares a batch and executes the model.
var rootMethods = []struct{ class, method string }{
	{"*Backend*", "forward*"}, {"*Backend*", "_forward*"}, {"*Impl*", "forward*"}, {"*Impl*", "_forward*"}, {"*Runner*", "forward*"},
	{"*Builder", "build"}, {"*Builder", "build_*"}, {"*Builder", "_build*"}, {"*Builder", "prepare*"}, {"*Metadata", "build*"},
	{"*Metadata", "prepare*"}, {"*Backend", "init_forward_metadata*"},
	{"*Sampler*", "sample*"}, {"*Sampler*", "_sample*"}, {"*Sampler*", "__call__"}, {"*Sampler*", "apply*"}, {"*Sampler*", "_apply*"}, {"*Sampling*", "__call__"},
	{"*LogitsProcessor*", "apply"}, {"*LogitsProcessor*", "__call__"}, {"*LogitsProcessor*", "update_state"},
	{"*Penal*", "apply*"}, {"*Proposer*", "propose*"}, {"*Drafter*", "propose*"}, {"*Speculator*", "propose*"}, {"*Worker*", "propose*"},
	{"*Runner*", "execute_model"}, {"*Runner*", "_execute*"}, {"*Runner*", "execute*"}, {"*Runner*", "sample_tokens"},
	{"*Runner*", "_prepare*"}, {"*Runner*", "prepare_*input*"}, {"*Runner*", "_update_states*"}, {"*Runner*", "_preprocess"},
	{"*Runner*", "_sample*"}, {"*Runner*", "_bookkeeping*"}, {"*Runner*", "propose*"}, {"*Runner*", "_pool"},
	{"*Worker*", "execute_model"}, {"*Worker*", "forward_batch*"},
	{"*State", "add_request"}, {"*States", "add_request"}, {"*Batch", "add_request"}, {"*StateInfo", "init_*state*"},
	{"*Wrapper", "plan"}, {"*Wrapper", "run"}, {"*Wrapper", "begin_forward"}, {"*Planner*", "plan*"},
	{"*Method", "apply"}, {"*Method", "apply_*"}, {"*Experts*", "apply"}, {"*Kernel", "apply*"},
	{"*Dispatcher", "*permut*"}, {"*Dispatcher", "dispatch*"}, {"*Dispatcher", "combine*"}, {"*Dispatcher", "preprocess"},
	{"*Pipeline", "__call__"}, {"*Engine", "backward"},
}

// nature is what the name and the declaration of a function say about where a step starts, whatever the rest of the
// project is: found out once for each content of a file.
type nature uint8

const (
	natureKnown  nature = 1 << iota
	natureNamed         // by the name alone
	natureMedia         // a decoder of files, unless it is a module's
	natureModule        // the forward of a module
	natureMethod        // a method that serving engines run
	natureOpen          // an operation over tensors
	natureCold          // it never runs in a step
)

func natureOf(f *Func) nature {
	if f.nature != 0 {
		return f.nature
	}
	n := natureKnown
	set := func(bit nature, on bool) {
		if on {
			n |= bit
		}
	}
	if f.outer == nil && !f.mod.outsideStep() {
		set(natureNamed, rootName(f.short))
		set(natureMedia, decodesMedia(f))
		if f.Class != nil {
			set(natureModule, f.short == "__call__" || strings.HasPrefix(strings.TrimPrefix(f.short, "_"), "forward"))
			set(natureMethod, rootMethod(f.Class.short, f.short))
		}
		set(natureOpen, takesTensor(f) && !strings.HasPrefix(f.short, "__") && !neverOpen(f.short))
	}
	if !f.mod.outsideStep() {
		f.lentTo(func(l loan) {
			set(natureNamed, rootName(l.attr) || l.class == nil && lentRoot(l.attr))
			set(natureModule, l.class != nil && lentRoot(l.attr))
			set(natureMethod, classLike(l.owner) && rootMethod(l.owner, l.attr))
		})
	}
	set(natureCold, coldByName(f))
	f.nature = n
	return n
}

// defaultRoot reports whether a step starts in f when nothing is configured.
func (h *hotPath) defaultRoot(f *Func) (root, open bool) {
	n := natureOf(f)
	switch {
	case n&^natureCold == natureKnown:
		return false, false
	case n&natureNamed != 0 && (n&natureMedia == 0 || f.Class != nil && f.Class.isModule()): // the decoder of a model is another thing
		return true, false
	case n&natureModule != 0 && f.Class.isModule(), n&natureMethod != 0:
		return true, false
	}
	open = h.open(f)
	return open, open
}

// decodesMedia reports whether f decodes a file and not a token: decode_frames, or decode in video.py.
func decodesMedia(f *Func) bool {
	if !strings.HasPrefix(strings.TrimLeft(f.short, "_"), "decode") {
		return false
	}
	name := f.short + "_" + strings.TrimSuffix(f.Path[strings.LastIndexByte(f.Path, '/')+1:], ".py")
	for _, w := range strings.Split(strings.ToLower(name), "_") {
		switch w {
		case "video", "audio", "frames", "frame", "media", "jpeg", "png", "base64", "json", "bytes", "url", "image", "images":
			return true
		}
	}
	return false
}

// outsideStep reports whether m is a file of tests, measurements or examples.
func (m *module) outsideStep() bool {
	if m.cold == nil {
		cold := coldPath(m.path)
		m.cold = &cold
	}
	return *m.cold
}

// debugging reports whether m is a file for debugging.
func (m *module) debugging() bool {
	if m.debug == nil {
		debug := debugPath(m.path)
		m.debug = &debug
	}
	return *m.debug
}

// rootName reports whether a step starts in functions of that name.
var rootName = remembered(func(short string) bool { return matchAnyName(defaultRoots, short) })

// rootMethod reports whether serving engines run that method of a class of that name in every step.
func rootMethod(class, method string) bool { return rootMethodNamed(class + " " + method) }

var rootMethodNamed = remembered(func(name string) bool {
	class, method, _ := strings.Cut(name, " ")
	for _, r := range rootMethods {
		if matchGlob(r.method, method, '.') && matchGlob(r.class, class, '.') {
			return true
		}
	}
	return false
})

// coldName reports whether functions of that name run at load time, at warm-up, around a capture, or never in a step.
var coldName = remembered(func(short string) bool { return matchAnyName(coldNames, short) })

func matchAnyName(globs []string, name string) bool {
	for _, g := range globs {
		if matchGlob(g, name, '.') {
			return true
		}
	}
	return false
}

// coldPath reports whether a path is one of a test, a measurement or an example.
var coldPath = remembered(func(path string) bool { return matchAnyPath(coldPaths, path) })

// remembered asks f once for each name, as long as there are not too many: the same few thousand names come up in every
// tree of a repository.
func remembered(f func(string) bool) func(string) bool {
	const most = 1 << 17
	var known sync.Map
	var n atomic.Int64
	return func(name string) bool {
		if v, ok := known.Load(name); ok {
			return v.(bool)
		}
		v := f(name)
		if n.Add(1) > most {
			known.Clear()
			n.Store(0)
		}
		known.Store(strings.Clone(name), v)
		return v
	}
}

// open reports whether f is an operation that the project offers and does not call itself: it takes tensors, and
// no function mentions its name. A library's functions are called by the steps of others; and where only a part
// of a repository is scanned the callers are elsewhere.
func (h *hotPath) open(f *Func) bool {
	return natureOf(f)&natureOpen != 0 && h.wiring.said.of(f.short) == 0
}

var neverOpen = remembered(func(short string) bool { return matchAnyName(notOpen, short) })

// notOpen are names of functions over tensors that are not for the step: they read and write checkpoints, lay weights
// out, stand in for an operator while a graph is traced, or say in slow code what a kernel should compute.
var notOpen = []string{"load*", "save*", "*weight*", "*checkpoint*", "*state_dict*", "*_fake", "*_fake_*", "_fake_*", "fake_*",
	"*_meta", "meta_*", "ref_*", "*_ref", "*_ref_*", "*reference*", "naive_*", "*_naive*", "*_loader", "init_*", "reset_*",
	"convert_*", "calibrat*", "dump_*", "print_*", "plot_*", "assert_*", "check_*", "verify_*", "visualize*", "register*"}

// takesTensor reports whether a parameter is declared as a tensor, or as a container of tensors.
func takesTensor(f *Func) bool {
	for _, l := range f.locals {
		if strings.Contains(l.class, "Tensor") && isParam(f, l.name) {
			return true
		}
	}
	return false
}

func isParam(f *Func, name string) bool {
	for _, p := range f.params {
		if p == name {
			return true
		}
	}
	return false
}
