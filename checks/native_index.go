package checks

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/cppast"
)

// NativeExtensions are the files of C++ and CUDA that a scan reads.
var NativeExtensions = []string{".cu", ".cuh", ".cpp", ".cc", ".cxx", ".h", ".hpp", ".hip"}

func nativePath(path string) bool {
	i := strings.LastIndexByte(path, '.')
	return i >= 0 && slices.Contains(NativeExtensions, strings.ToLower(path[i:]))
}

// nativeRules are the hooks by what they ask for.
type nativeRules struct {
	byCall       map[string][]*Rule
	any          []*Rule
	launch, decl []*Rule
	deref        []*Rule
	words        [][]byte
	guards       []string
}

// always are words that make a file worth parsing whatever the rules: bindings of operations, and suppressions.
var always = []string{"TORCH_LIBRARY", "PYBIND11_MODULE", "gatebot:", "gpu-sync-ok"}

func newNativeRules(opts *Options) *nativeRules {
	n := &nativeRules{byCall: map[string][]*Rule{}}
	words := map[string]bool{}
	for _, r := range opts.Rules {
		h := r.Native
		if h == nil {
			continue
		}
		for _, w := range h.Words {
			words[w] = true
		}
		for _, c := range h.Calls {
			words[c] = true
			if rest, ok := strings.CutPrefix(c, "cuda"); ok {
				words["hip"+rest] = true
			}
			if h.Call != nil {
				n.byCall[c] = append(n.byCall[c], r)
			}
		}
		if h.Call != nil && h.Calls == nil {
			n.any = append(n.any, r)
		}
		if h.Launch != nil {
			words["<<<"] = true
			n.launch = append(n.launch, r)
		}
		if h.Decl != nil {
			n.decl = append(n.decl, r)
		}
		if h.Deref != nil {
			n.deref = append(n.deref, r)
		}
	}
	if len(words) == 0 {
		return nil
	}
	for _, w := range always {
		words[w] = true
	}
	for _, w := range sortedKeys(words) {
		n.words = append(n.words, []byte(w))
	}
	for _, g := range opts.Guards {
		n.guards = append(n.guards, strings.Join(strings.Fields(g), ""))
	}
	return n
}

// calls are the rules that want to see a call.
func (n *nativeRules) calls(c *NativeCall) []*Rule {
	var out []*Rule
	if c.RecvV != nil {
		out = n.byCall["."+c.Short]
	} else {
		out = n.byCall[c.Short]
		if i := strings.LastIndex(c.Name, "::"); i >= 0 {
			j := strings.LastIndex(c.Name[:i], "::")
			if j >= 0 {
				j += 2
			}
			out = append(slices.Clip(out), n.byCall[c.Name[max(j, 0):]]...)
		}
	}
	if len(n.any) > 0 {
		out = append(slices.Clip(out), n.any...)
	}
	return out
}

// trigger reports whether a file can hold anything of interest.
func (n *nativeRules) trigger(src []byte) bool {
	for _, w := range n.words {
		if bytes.Contains(src, w) {
			return true
		}
	}
	return false
}

// nativeFile is what is left of a file when its tree has gone.
type nativeFile struct {
	mod   *module
	funcs []*nativeFunc
	bound []string // names that are bound to operations here
}

// nativeFunc is a function that can run on the host.
type nativeFunc struct {
	*Func
	file     *nativeFile
	kind     cppast.FuncKind
	class    string
	from, to int    // lines
	own      string // why it is a root by itself
	root     string
	refs     []string
	found    []*raw
	caller   *nativeFunc
	hot      bool
}

// indexNative parses a file and runs the rules over its functions. Whether what they found counts is decided when all
// files are known.
func (p *project) indexNative(ctx context.Context, rules *nativeRules, f File, src []byte) (nf *nativeFile, bad []unreadable, err error) {
	defer func() {
		if r := recover(); r != nil {
			nf, bad, err = nil, []unreadable{{path: f.Path, why: fmt.Sprintf("internal error: %v", r)}}, nil
		}
	}()
	lim := cppast.DefaultLimits
	lim.MaxBytes, lim.Timeout = int(p.opts.MaxFileSize), p.opts.ParseLimit
	tree, err := cppast.Parse(ctx, f.Path, src, lim)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		return nil, []unreadable{{path: f.Path, why: err.Error(), transient: true}}, nil
	}
	nf = &nativeFile{mod: &module{path: f.Path, file: f, size: f.Size}}
	nf.mod.native = nf
	nf.mod.marks = nativeMarks(tree)
	for _, fn := range tree.Funcs {
		nf.bound = append(nf.bound, boundIn(fn)...)
		if !fn.OnHost() {
			continue
		}
		w := &nativeWalk{rules: rules, file: tree, fn: fn, found: map[place]*raw{}}
		w.run()
		x := &nativeFunc{Func: &Func{Path: f.Path, Name: fn.Name, Line: int(fn.Start.Line), mod: nf.mod, short: fn.Short},
			file: nf, kind: fn.Kind, class: fn.Class, from: int(fn.Start.Line), to: int(fn.End.Line), refs: unique(w.refs)}
		x.own = w.rootReason()
		for _, h := range w.found {
			x.found = append(x.found, h)
		}
		nf.funcs = append(nf.funcs, x)
		nf.mod.all = append(nf.mod.all, x.Func)
	}
	return nf, unreadNative(rules, tree), nil
}

// boundIn are the functions that are given to m.def(…), m.impl(…) and their relatives.
func boundIn(fn *cppast.Func) []string {
	var out []string
	cppast.Walk(fn, func(n cppast.Node) bool {
		c, ok := n.(*cppast.Call)
		if !ok {
			return true
		}
		switch calleeName(c) {
		case ".def", ".impl", ".op", ".kernel":
			for _, a := range c.Args {
				cppast.Walk(a, func(n cppast.Node) bool {
					if x, ok := n.(*cppast.Name); ok {
						out = append(out, x.ID)
					}
					return true
				})
			}
		}
		return true
	})
	return out
}

// unreadNative finds calls that the rules ask for in regions that could not be read.
func unreadNative(rules *nativeRules, tree *cppast.File) []unreadable {
	if len(tree.Errors) == 0 {
		return nil
	}
	var seen [][2]uint32
	for _, fn := range tree.Funcs {
		if !fn.OnHost() {
			seen = append(seen, [2]uint32{fn.Off, fn.EndOff})
			continue
		}
		cppast.Walk(fn, func(n cppast.Node) bool {
			switch n := n.(type) {
			case *cppast.Call:
				s := n.Func.Pos()
				seen = append(seen, [2]uint32{s.Off, s.EndOff})
			case *cppast.Lit:
				seen = append(seen, [2]uint32{n.Off, n.EndOff})
			}
			return true
		})
	}
	for _, c := range tree.Comments {
		seen = append(seen, [2]uint32{c.Off, c.EndOff})
	}
	var out []unreadable
	for _, e := range tree.Errors {
		text := tree.Source[e.Off:e.EndOff]
		for _, w := range rules.unreadWords() {
			for off := 0; ; {
				i := bytes.Index(text[off:], []byte(w+"("))
				if i < 0 {
					break
				}
				at := e.Off + uint32(off+i)
				off += i + len(w)
				if at > 0 && identByte(tree.Source[at-1]) || within(seen, at) {
					continue
				}
				line := 1 + bytes.Count(tree.Source[:at], []byte("\n"))
				return append(out, unreadable{path: tree.Path, line: line, why: fmt.Sprintf(
					"a call of %s in line %d lies in code that the grammar cannot read", w, line)})
			}
		}
	}
	return out
}

// unreadWords are the functions whose calls must not be lost in what cannot be read.
func (n *nativeRules) unreadWords() []string {
	var out []string
	for _, name := range sortedKeys(n.byCall) {
		if !strings.ContainsAny(name, ".:") && strings.HasPrefix(name, "cu") {
			out = append(out, name)
		}
	}
	return out
}

func within(spans [][2]uint32, at uint32) bool {
	for _, s := range spans {
		if s[0] <= at && at < s[1] {
			return true
		}
	}
	return false
}

func identByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// nativeMarks reads the suppressions of a file: `// gatebot: allow[GB801] why`.
func nativeMarks(tree *cppast.File) []mark {
	var out []mark
	var comment map[int]bool
	for _, c := range tree.Comments {
		m, ok := parseMark(c.Text)
		if !ok {
			continue
		}
		m.line, m.column, m.target = int(c.Start.Line), int(c.Start.Col), int(c.Start.Line)
		if c.Own {
			if comment == nil {
				comment = map[int]bool{}
				for _, c := range tree.Comments {
					for l := c.Start.Line; c.Own && l <= c.End.Line; l++ {
						comment[int(l)] = true
					}
				}
			}
			m.target = nextLine(tree.Source, m.line, comment)
		}
		out = append(out, m)
	}
	return out
}

// nextLine is the first line below that holds code.
func nextLine(src []byte, line int, comment map[int]bool) int {
	lines := strings.Split(string(src), "\n")
	for l := line + 1; l <= len(lines); l++ {
		if strings.TrimSpace(lines[l-1]) != "" && !comment[l] {
			return l
		}
	}
	return line
}
