package checks

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// nativeColdPaths are never hot by default, besides coldPaths: code for the CPU has no device to wait for.
var nativeColdPaths = []string{"**/cpu/**", "cpu/**", "*_cpu.cpp", "*_cpu.h", "*_cpu.hpp", "cpu_*.cpp", "cpu_*.h", "cpu_*.hpp",
	"test_*.cu", "test_*.cpp", "*_test.cu", "*_test.cpp", "*_test.cc", "*Test.cu", "*Test.cpp", "bench_*.cu", "bench_*.cpp",
	"*_test.h", "*_test.hpp", "**/examples/**", "examples/**"}

// coldFirst and coldLast are words that make a function one that runs at load time, at the end, or never in a step.
var (
	coldFirst = words("init initialize create destroy dispose free release register unregister setup load save warmup autotune tune " +
		"profile bench benchmark test main dump print debug open close shutdown finalize cleanup teardown prepack repack " +
		"deallocate malloc alloc reset export import measure")
	// coldRoot are functions that set something up when a binding calls them, and part of a step when a step does.
	coldRoot = words("allocate")
	// coldAny make a function cold wherever they stand in its name, coldClass all methods of a class.
	coldAny   = words("init initialize benchmark autotune profile measure")
	coldClass = words("timer profiler tuner measurer reference benchmark test deleter allocator")
	coldLast  = words("init initialize initializer destroy dispose free malloc alloc setup warmup benchmark test repack prepack profiler " +
		"teardown cleanup reorder")
)

func words(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(s) {
		out[w] = true
	}
	return out
}

// split cuts an identifier into lower-case words: initCublas and init_cublas are init, cublas.
func split(id string) []string {
	var out []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = append(out, strings.ToLower(b.String()))
			b.Reset()
		}
	}
	var last rune
	for _, r := range id {
		switch {
		case r == '_' || r == '~':
			flush()
		case unicode.IsUpper(r) && unicode.IsLower(last):
			flush()
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
		last = r
	}
	flush()
	return out
}

// coldNative says why a function is not part of a step whoever calls it; empty when it can be.
func coldNative(f *nativeFunc, opts *Options) string {
	switch {
	case f.kind == nativeDestructor:
		return "destructors do not run in a step"
	case matchAnySelector(opts.LoadTime, f.Path, strings.ReplaceAll(f.Name, "::", ".")):
		return "load_time of the configuration names it"
	case opts.AllFunctions:
		return ""
	case f.kind == nativeConstructor:
		return "constructors run at load time"
	}
	has := func(set map[string]bool, ws []string) bool {
		return slices.ContainsFunc(ws, func(w string) bool { return set[w] })
	}
	if ws := split(f.short); len(ws) > 0 && (coldFirst[ws[0]] || coldLast[ws[len(ws)-1]] || has(coldAny, ws) || weightPreparation(ws)) {
		return fmt.Sprintf("%s runs at load time, at the end, or in tests", f.short)
	}
	if has(coldClass, split(lastPart(f.class))) {
		return f.class + " measures, tests or frees"
	}
	if opts.skipsCold() && (coldPath(f.Path) || matchAnyPath(nativeColdPaths, f.Path)) {
		return "tests, benchmarks and code for the CPU are not part of a step"
	}
	return ""
}

// weightPreparation reports whether a name is that of work on weights before they are used: shuffle_exllama_weight,
// encode_and_reorder_int4b.
func weightPreparation(ws []string) bool {
	weight := slices.Contains(ws, "weight") || slices.Contains(ws, "weights") || slices.Contains(ws, "qweight")
	for _, w := range ws {
		switch w {
		case "repack", "prepack", "encode", "reorder":
			return true
		case "shuffle", "convert", "transform", "permute", "preprocess", "pack":
			if weight {
				return true
			}
		}
	}
	return false
}

// rootReason says why a function is a place where a step enters native code, besides being bound to an operation.
func (w *nativeWalk) rootReason() string {
	for _, p := range w.fn.Params {
		v := ofType(p.Type, p.Name)
		switch {
		case tensorType.MatchString(p.Type) && !strings.Contains(p.Type, "cute::"):
			return "it is given tensors"
		case v.Kind == NativeStream:
			return "it is given a stream"
		}
	}
	return w.issues
}

// nativeHot computes what runs in a step: from the roots along the calls.
type nativeHot struct {
	opts  *Options
	short map[string][]*nativeFunc
	order []*nativeFunc
}

func findNativeHot(files []*nativeFile, opts *Options) *nativeHot {
	h := &nativeHot{opts: opts, short: map[string][]*nativeFunc{}}
	bound := map[string]bool{}
	for _, f := range files {
		for _, b := range f.bound {
			bound[lastPart(b)] = true
		}
		for _, fn := range f.funcs {
			fn.hot, fn.caller, fn.root = false, nil, fn.own
			h.short[fn.short] = append(h.short[fn.short], fn)
		}
	}
	roots := slices.ContainsFunc(opts.Roots, func(s Selector) bool { return nativePath(s.Path) })
	for _, f := range files {
		for _, fn := range f.funcs {
			switch {
			case opts.AllFunctions:
			case roots:
				if !matchAnySelector(opts.Roots, fn.Path, strings.ReplaceAll(fn.Name, "::", ".")) {
					continue
				}
				fn.root = "the configuration names it"
			case fn.kind == nativeMacro, coldRoot[split(fn.short + " ")[0]]:
				continue
			case bound[fn.short]:
				fn.root = "it is bound to an operation"
			case fn.root == "":
				continue
			}
			h.add(fn, nil)
		}
	}
	for i := 0; i < len(h.order); i++ {
		fn := h.order[i]
		for _, r := range fn.refs {
			for _, callee := range h.resolve(fn, r) {
				h.add(callee, fn)
			}
		}
	}
	return h
}

func (h *nativeHot) add(f, caller *nativeFunc) {
	if f.hot || coldNative(f, h.opts) != "" {
		return
	}
	f.hot, f.caller = true, caller
	h.order = append(h.order, f)
}

const nativeCandidates = 4

// resolve finds the functions that a reference can mean: those of the same file first, then those whose qualified
// name agrees, then any with that name as long as they are few.
func (h *nativeHot) resolve(from *nativeFunc, ref string) []*nativeFunc {
	method := strings.HasPrefix(ref, ".")
	all := h.short[lastPart(ref)]
	if len(all) == 0 {
		return nil
	}
	var same, qualified, others []*nativeFunc
	for _, f := range all {
		switch {
		case f == from:
		case method && f.class == "" && f.kind != nativeMacro:
		case f.file == from.file:
			same = append(same, f)
		case strings.Contains(ref, "::") && (f.Name == ref || strings.HasSuffix(f.Name, "::"+ref)):
			qualified = append(qualified, f)
		default:
			others = append(others, f)
		}
	}
	switch {
	case len(same) > 0:
		return same
	case len(qualified) > 0:
		return qualified
	case len(others) == 1 || !method && len(others) <= nativeCandidates:
		return others // many classes have a get() or a run()
	}
	return nil
}

// chain is the way from a root.
func (f *nativeFunc) chain() []*Func {
	var out []*Func
	for x := f; x != nil; x = x.caller {
		out = append(out, x.Func)
	}
	slices.Reverse(out)
	return out
}
