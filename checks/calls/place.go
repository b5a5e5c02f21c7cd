package calls

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/trace"
)

// place is where a call was made, as a person would point at it.
type place struct {
	path     string // relative to the root when the line is the repository's, else as the library is known
	line     int    // 0: native code, which has no lines here
	function string
	ours     bool   // inside the root
	inner    string // "file.py:12": a library's line further inside that made the call, other than the framework's
}

// placeOf picks the innermost frame inside the root, else the innermost of a library other than the framework, else the
// innermost of all. Where there is no Python it is the innermost symbol outside of CUDA's own libraries, or the library where none
// has symbols.
func placeOf(root string, frames []trace.Frame, native []trace.NativeFrame) place {
	var library *trace.Frame
	for i := range frames {
		f := &frames[i]
		if rel, ok := dynamic.Inside(root, f.File); ok {
			p := place{path: rel, line: f.Line, function: f.Func, ours: true}
			if library != nil {
				p.inner = fmt.Sprintf("%s:%d", dynamic.Known(library.File), library.Line)
			}
			return p
		}
		if library == nil && !dynamic.Framework(f.File) {
			library = f
		}
	}
	if library == nil && len(frames) > 0 {
		library = &frames[0]
	}
	if library != nil {
		return place{path: dynamic.Known(library.File), line: library.Line, function: library.Func}
	}
	for _, n := range native {
		if n.Symbol == "" || cudaLibrary(n.Module) || strings.HasPrefix(n.Symbol, "cuda") || strings.HasPrefix(n.Symbol, "__cuda") {
			continue
		}
		p := place{path: path.Base(n.Module), function: demangle(n.Symbol)}
		if rel, ok := dynamic.Inside(root, n.Module); ok {
			p.path, p.ours = rel, true
		}
		return p
	}
	for _, n := range native { // stripped: the library is all that is known
		if n.Module != "" && !cudaLibrary(n.Module) {
			return place{path: path.Base(n.Module)}
		}
	}
	return place{path: "?"}
}

// below cuts a stack at the function that is the region (module:qualified.name): who called it is not where the hazard is.
// A region that is no function of the stack cuts nothing.
func below(frames []trace.Frame, region string) []trace.Frame {
	_, name, ok := strings.Cut(region, ":")
	if !ok {
		return frames
	}
	for i := len(frames) - 1; i >= 0; i-- {
		if frames[i].Func == name {
			return frames[:i+1]
		}
	}
	return frames
}

func cudaLibrary(module string) bool {
	base := path.Base(module)
	for _, p := range []string{"libcuda.so", "libcudart", "libcupti", "libnvidia", "gatebot-probe"} {
		if strings.HasPrefix(base, p) {
			return true
		}
	}
	return false
}

// demangle gives the qualified name in an Itanium-mangled one, without its parameters; what it does not understand it
// returns as it is. That is enough to recognise a function.
func demangle(symbol string) string {
	s, ok := strings.CutPrefix(symbol, "_Z")
	if !ok {
		return symbol
	}
	s, nested := strings.CutPrefix(s, "N")
	s = strings.TrimLeft(s, "rVKL")
	var parts []string
	for {
		n := len(s) - len(strings.TrimLeft(s, "0123456789"))
		size, err := strconv.Atoi(s[:n])
		if n == 0 || err != nil || size > len(s)-n {
			break
		}
		parts, s = append(parts, s[n:n+size]), s[n+size:]
		if !nested {
			break
		}
	}
	if len(parts) == 0 {
		return symbol
	}
	return strings.Join(parts, "::")
}

// stack renders a stack for evidence, innermost first.
func stack(root string, frames []trace.Frame, native []trace.NativeFrame) []string {
	var out []string
	for _, f := range frames[:min(len(frames), 16)] {
		name := dynamic.Known(f.File)
		if rel, ok := dynamic.Inside(root, f.File); ok {
			name = rel
		}
		out = append(out, fmt.Sprintf("%s (%s:%d)", f.Func, name, f.Line))
	}
	if len(frames) > 0 {
		return out
	}
	for _, n := range native {
		if len(out) < 16 && !cudaLibrary(n.Module) {
			name := demangle(n.Symbol)
			if name == "" {
				name = fmt.Sprintf("+0x%x", n.Offset)
			}
			out = append(out, fmt.Sprintf("%s (%s)", name, path.Base(n.Module)))
		}
	}
	return out
}
