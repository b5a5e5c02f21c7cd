package checks

import "strings"

// looked is what a scan does with the Python files of a source.
type looked struct {
	hot       []File // read
	cold      []File // of tests and benchmarks: read when they may hold a step module
	notebooks int
}

func (o *Options) look(files []File) (l looked) {
	for _, f := range files {
		switch {
		case strings.HasSuffix(f.Path, ".ipynb"):
			l.notebooks++
		case !strings.HasSuffix(f.Path, ".py"):
		case len(o.Include) > 0 && !matchAnyPath(o.Include, f.Path), matchAnyPath(o.Exclude, f.Path):
		case o.skipsCold() && coldPath(f.Path):
			l.cold = append(l.cold, f)
		default:
			l.hot = append(l.hot, f)
		}
	}
	return l
}

// lookNative finds the C++ and CUDA files that are read, and counts the ones that are not because of what they are for.
func (o *Options) lookNative(files []File) (hot []File, cold int) {
	for _, f := range files {
		switch {
		case !nativePath(f.Path):
		case len(o.Include) > 0 && !matchAnyPath(o.Include, f.Path), matchAnyPath(o.Exclude, f.Path):
		case o.skipsCold() && (coldPath(f.Path) || matchAnyPath(nativeColdPaths, f.Path)):
			cold++
		default:
			hot = append(hot, f)
		}
	}
	return hot, cold
}

// Looked are the files of a source on whose content the findings of a scan depend. Two trees in which they are the same
// have the same findings.
func Looked(files []File, o Options) []File {
	l := o.look(files)
	native, _ := o.lookNative(files)
	out := append(l.hot, native...)
	for _, f := range l.cold {
		if stepFile(f.Path) {
			out = append(out, f)
		}
	}
	return out
}
