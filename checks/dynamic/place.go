package dynamic

import (
	"fmt"

	"github.com/gatebot/gatebot/internal/trace"
)

// Place is a line of the repository. Where the stack never enters the repository, Path is empty.
type Place struct {
	Path     string // relative to the root, with '/'
	Line     int
	Function string
	// Inner is "file.py:12" of the frame that is further inside and belongs to a library other than the framework that
	// made the call; "" when the repository's line itself did.
	Inner string
}

// Place picks the innermost frame inside the repository, which is not the same as the first one outside torch: an
// environment may lie in a folder called torch, and a library may be the one to blame.
func (in *Input) Place(frames []trace.Frame) Place {
	inner := ""
	for _, f := range frames {
		if rel, ok := Inside(in.Root, f.File); ok {
			return Place{Path: rel, Line: f.Line, Function: f.Func, Inner: inner}
		}
		if inner == "" && !Framework(f.File) {
			inner = fmt.Sprintf("%s:%d", Known(f.File), f.Line)
		}
	}
	return Place{Inner: inner}
}

// Stack renders frames for evidence, innermost first.
func (in *Input) Stack(frames []trace.Frame) []string {
	var out []string
	for _, f := range frames[:min(len(frames), 12)] {
		name := Known(f.File)
		if rel, ok := Inside(in.Root, f.File); ok {
			name = rel
		}
		out = append(out, fmt.Sprintf("%s (%s:%d)", f.Func, name, f.Line))
	}
	return out
}
