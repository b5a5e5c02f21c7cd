package checks

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/gatebot/gatebot/internal/cppast"
)

const (
	nativeConstructor = cppast.FuncConstructor
	nativeDestructor  = cppast.FuncDestructor
	nativeMacro       = cppast.FuncMacro
)

// nativeScan is the half of a scan that reads C++ and CUDA.
type nativeScan struct {
	p     *project
	rules *nativeRules
	files []*nativeFile
	rest  []File // without a word of any rule: parsed only when they may be what calls a function with a hazard
	hot   *nativeHot
	table *table // of what is remembered, nil when nothing is
}

// loadNative reads the native files. The Python half is done when it is called; it adds the files to the modules of the
// project, so that suppressions, notes and counts are those of one scan.
func loadNative(ctx context.Context, p *project, t *table) (*nativeScan, error) {
	n := &nativeScan{p: p, table: t, rules: newNativeRules(p.opts)}
	if n.rules == nil {
		return n, nil
	}
	var err error
	todo, cold := p.opts.lookNative(p.listed)
	if cold > 0 {
		p.notes = append(p.notes, fmt.Sprintf("%d C++ files of tests, benchmarks, examples and CPU backends are not part of a "+
			"step and not looked at (name them in hot_path.include to have them checked)", cold))
	}
	if n.rest, err = n.index(ctx, todo, digest{}, n.rules.trigger); err != nil {
		return nil, err
	}
	n.hot = findNativeHot(n.files, p.opts)
	const rounds = 3 // of callers in files without a word of any rule
	for range rounds {
		names := n.wanted()
		if len(names) == 0 || len(n.rest) == 0 {
			break
		}
		before := len(n.files)
		n.rest, err = n.index(ctx, n.rest, digestOf([]byte(strings.Join(names, " "))), func(src []byte) bool {
			return slices.ContainsFunc(names, func(w string) bool { return bytes.Contains(src, []byte(w)) })
		})
		if err != nil {
			return nil, err
		}
		if len(n.files) == before {
			break
		}
		n.hot = findNativeHot(n.files, p.opts)
	}
	p.skipped += len(n.rest) + cold
	for _, f := range n.files {
		p.modules = append(p.modules, f.mod)
		p.byPath[f.mod.path] = f.mod
	}
	return n, nil
}

// index reads files with a few workers and parses those that pass the filter, whose digest is want; the others are
// returned.
func (n *nativeScan) index(ctx context.Context, files []File, want digest, filter func([]byte) bool) (rest []File, err error) {
	type result struct {
		file *nativeFile
		bad  []unreadable
		rest bool
	}
	results := make([]result, len(files))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(n.p.opts.Workers)
	for i, f := range files {
		if gctx.Err() != nil {
			break
		}
		if k := n.table.nativeFile(f, want); k != nil {
			results[i] = result{k.file, k.bad, k.rest}
			continue
		}
		g.Go(func() error {
			r, ctx := &results[i], gctx
			if f.Size > n.p.opts.MaxFileSize {
				r.bad = []unreadable{{path: f.Path, why: fmt.Sprintf("%v: %d bytes, limit %d (exclude it if it is generated)",
					errTooLarge, f.Size, n.p.opts.MaxFileSize)}}
				return nil
			}
			src, err := n.p.src.Read(ctx, f)
			switch {
			case err != nil && ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				r.bad = []unreadable{{path: f.Path, why: fmt.Sprintf("read: %v", err), transient: true}}
			case !filter(src):
				r.rest = true
			default:
				r.file, r.bad, err = n.p.indexNative(ctx, n.rules, f, src)
				return err
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("scan: %w", err)
	}
	for i := range results {
		n.table.keepNative(files[i], knownNative{file: results[i].file, bad: results[i].bad, rest: results[i].rest, want: want})
		n.p.unread = append(n.p.unread, results[i].bad...)
		if results[i].file != nil {
			n.files = append(n.files, results[i].file)
		}
		if results[i].rest {
			rest = append(rest, files[i])
		}
	}
	return rest, nil
}

// wanted are the names of functions that lead to a hazard and that no hot function calls, as far as is known: a file
// that mentions one may hold its caller.
func (n *nativeScan) wanted() []string {
	want := map[string]bool{}
	add := func(f *nativeFunc) bool {
		if f.hot || want[f.short] || coldNative(f, n.p.opts) != "" {
			return false
		}
		want[f.short] = true
		return true
	}
	for _, file := range n.files {
		for _, f := range file.funcs {
			if len(f.found) > 0 {
				add(f)
			}
		}
	}
	for more := len(want) > 0; more; {
		more = false
		for _, file := range n.files {
			for _, f := range file.funcs {
				if slices.ContainsFunc(f.refs, func(r string) bool { return want[lastPart(r)] }) && add(f) {
					more = true
				}
			}
		}
	}
	return sortedKeys(want)
}

// report gives what was found in hot functions to the sink.
func (n *nativeScan) report(s *sink) {
	if n.hot == nil {
		return
	}
	for _, f := range n.hot.order {
		chain := f.chain()
		for _, h := range f.found {
			h.chain = chain
			s.found[place{h.rule.ID, h.path, h.span.Off, h.span.EndOff}] = h
		}
	}
}

// count is the number of hot functions.
func (n *nativeScan) count() int {
	if n.hot == nil {
		return 0
	}
	return len(n.hot.order)
}

// explain says why a line is hot or not.
func (n *nativeScan) explain(x *Explanation, f *nativeFile) {
	var fn *nativeFunc
	for _, c := range f.funcs {
		if c.from <= x.Line && x.Line <= c.to && (fn == nil || c.from >= fn.from) {
			fn = c
		}
	}
	if fn == nil {
		x.Why = "outside of any function that can run on the host"
		return
	}
	x.Function, x.Hot = fn.Name, fn.hot
	if !fn.hot {
		if x.Why = coldNative(fn, n.p.opts); x.Why == "" {
			x.Why = "no function that is bound to an operation, takes tensors or issues device work calls it"
		}
		return
	}
	for _, c := range fn.chain() {
		x.Chain = append(x.Chain, c.Name)
	}
	root := fn
	for root.caller != nil {
		root = root.caller
	}
	x.Why = "reached from " + x.Chain[0] + ": " + root.root
	if root == fn {
		x.Why = strings.TrimSpace("a root of the hot path: " + root.root)
	}
}
