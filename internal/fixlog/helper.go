package fixlog

import (
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/git"
)

// maxHelpers bounds how many files behind the imports of one are read.
const maxHelpers = 20

// helperLevels is how deep helpers are followed: one that the commit added may have helpers of its own.
const helperLevels = 2

// helper looks for the operation in the functions that the function of a finding calls now and did not before, and in
// those that the ones among them call which the commit added: in the files that the commit touched, and in those that a
// file imports by name.
func (u *update) helper(c git.Commit, same kind, function string, e *edit, edits map[string]*edit) string {
	names, from := newNames(function, e), []*source{e.is}
	for range helperLevels {
		if len(names) == 0 {
			break
		}
		near, added := append([]*source{}, from...), map[*source]*edit{}
		for _, k := range sortedKeys(edits) {
			if x := edits[k]; x.is != nil && !isTest(x.is.path) {
				added[x.is] = x
				if !slices.Contains(near, x.is) {
					near = append(near, x.is)
				}
			}
		}
		for _, s := range from {
			near = append(near, u.imported(c, s, names)...)
		}
		asked := names
		names, from = nil, nil
		for _, s := range near {
			for _, f := range sortedFunctions(s) {
				if f == function || !slices.Contains(asked, lastName(f)) {
					continue
				}
				for _, l := range s.of[f] {
					if same.inHelper(l) {
						return f + " of " + s.path
					}
				}
				if x := added[s]; x != nil && (x.was == nil || !x.was.functions[f]) {
					names = append(names, calls(s, f)...)
					from = append(from, s)
				}
			}
		}
	}
	return ""
}

func calls(s *source, function string) (out []string) {
	for _, l := range s.of[function] {
		for _, m := range called.FindAllStringSubmatch(l, -1) {
			out = append(out, m[1])
		}
	}
	return out
}

func newCalls(function string, e *edit) []string {
	if !e.was.functions[function] {
		function = ""
	}
	var out []string
	for n := range surplus(calls(e.is, function), calls(e.was, function)) {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// newNames are what a function calls now and did not, and what it gives another name to call it by.
func newNames(function string, e *edit) []string {
	if !e.was.functions[function] {
		function = ""
	}
	var was, is []string
	for _, side := range []struct {
		lines []string
		into  *[]string
	}{{e.was.of[function], &was}, {e.is.of[function], &is}} {
		for _, l := range side.lines {
			if m := renaming.FindStringSubmatch(l); m != nil {
				*side.into = append(*side.into, m[1])
			}
		}
	}
	out := newCalls(function, e)
	for n := range surplus(is, was) {
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

var renaming = regexp.MustCompile(`^\w+=(?:\w+\.)*([A-Za-z_]\w*)$`)

// imported reads the files that `from a.b import name` of a source names, for the names asked for.
func (u *update) imported(c git.Commit, s *source, names []string) []*source {
	if !s.python {
		return nil
	}
	data, err := git.ReadFile(u.ctx, u.repo, c.ID, s.path)
	if err != nil {
		return nil // it was there a moment ago; what is imported stays unknown, as most of it does
	}
	var out []*source
	for _, m := range from.FindAllStringSubmatch(string(data), -1) {
		if len(out) == maxHelpers {
			break
		}
		if !slices.ContainsFunc(word.FindAllString(m[2], -1), func(n string) bool { return slices.Contains(names, n) }) {
			continue
		}
		for _, file := range moduleFiles(s.path, m[1]) {
			text, err := git.ReadFile(u.ctx, u.repo, c.ID, file)
			if errors.Is(err, git.ErrNotFound) || err != nil {
				continue
			}
			out = append(out, cut(u.ctx, u.opts.Shelf, file, text))
		}
	}
	return out
}

// moduleFiles are the places where a module may lie that a file imports: beside it for each dot, else from the root or
// from the root's src.
func moduleFiles(file, module string) []string {
	rest := strings.TrimLeft(module, ".")
	dots := len(module) - len(rest)
	rest = strings.ReplaceAll(rest, ".", "/")
	roots := []string{"", "src"}
	if dots > 0 {
		dir := path.Dir(file)
		for range dots - 1 {
			dir = path.Dir(dir)
		}
		roots = []string{dir}
	}
	var out []string
	for _, r := range roots {
		base := path.Join(r, rest)
		out = append(out, base+".py", path.Join(base, "__init__.py"))
	}
	return out
}

func sortedFunctions(s *source) []string {
	var out []string
	for f := range s.functions {
		out = append(out, f)
	}
	slices.Sort(out)
	return out
}
