package dynamic

import (
	"fmt"
	"path/filepath"
	"strings"

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

// frameworks are not worth naming: everything goes through them.
var frameworks = []string{"/torch/", "/triton/"}

// Place picks the innermost frame inside the repository, which is not the same as the first one outside torch: an
// environment may lie in a folder called torch, and a library may be the one to blame.
func (in *Input) Place(frames []trace.Frame) Place {
	inner := ""
	for _, f := range frames {
		if rel, ok := in.inside(f.File); ok {
			return Place{Path: rel, Line: f.Line, Function: f.Func, Inner: inner}
		}
		if inner == "" && !framework(f.File) && !strings.HasPrefix(f.File, "<") {
			inner = fmt.Sprintf("%s:%d", short(f.File), f.Line)
		}
	}
	return Place{Inner: inner}
}

// inside gives the path below the root. Environments that people keep in their repository are not it.
func (in *Input) inside(file string) (string, bool) {
	if file == "" || file[0] == '<' || in.Root == "" { // "<frozen abc>" is no file
		return "", false
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(in.Root, file)
	}
	rel, err := filepath.Rel(in.Root, filepath.Clean(file))
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") || strings.Contains(rel, "site-packages/") {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

func framework(file string) bool {
	_, below, ok := strings.Cut(file, "site-packages")
	if !ok {
		_, below, ok = strings.Cut(file, "dist-packages")
	}
	if !ok {
		return strings.Contains(file, "/lib/python") // the standard library
	}
	for _, f := range frameworks {
		if strings.HasPrefix(below, f) {
			return true
		}
	}
	return false
}

// short is the path of a library's file as people know it.
func short(file string) string {
	for _, cut := range []string{"site-packages/", "dist-packages/"} {
		if _, below, ok := strings.Cut(file, cut); ok {
			return below
		}
	}
	return filepath.Base(file)
}

// Stack renders frames for evidence, innermost first.
func (in *Input) Stack(frames []trace.Frame) []string {
	var out []string
	for _, f := range frames[:min(len(frames), 12)] {
		name := short(f.File)
		if rel, ok := in.inside(f.File); ok {
			name = rel
		}
		out = append(out, fmt.Sprintf("%s (%s:%d)", f.Func, name, f.Line))
	}
	return out
}
