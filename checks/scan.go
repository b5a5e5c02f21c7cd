package checks

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gatebot/gatebot/internal/finding"
)

// File is one candidate of a scan. ID is a content id when the source knows one (a blob id), else empty.
type File struct {
	Path string // relative to the root, with '/'
	ID   string
	Size int64
	// Stamp stands for the content of a file without an ID: whatever changes with it (a working tree takes times and
	// inode). Empty when there is nothing to rely on.
	Stamp string
}

// Source is a tree of files: a working tree, a commit, an index. Read may be called from several goroutines, and
// twice for one file.
type Source interface {
	Files(ctx context.Context) ([]File, error)
	Read(ctx context.Context, f File) ([]byte, error)
}

// Report is what a scan found. Findings are sorted, carry fingerprints and are never dropped: what does not count is
// marked as suppressed with its reason.
type Report struct {
	Findings  []finding.Finding
	Files     int
	Functions int
	Hot       int
	Notes     []string // what was not looked at and why, one line each
	// Transient is set when another run over the same files may see more: one of them could not be read, or took too
	// long.
	Transient bool
}

// Scan finds the hazards in src. It is an error when the files cannot be listed or ctx ends; a file that cannot be
// read or parsed is a note and a finding (GB002), not an error. The result depends on the files and the options only.
func Scan(ctx context.Context, src Source, opts Options) (*Report, error) {
	s, err := newScan(ctx, src, opts)
	if err != nil {
		return nil, err
	}
	if err := s.interpret(ctx); err != nil {
		return nil, err
	}
	return s.report(ctx)
}

// scan is one run.
type scan struct {
	p      *project
	hot    *hotPath
	in     *interp
	sink   *sink
	native *nativeScan
}

func newScan(ctx context.Context, src Source, opts Options) (*scan, error) {
	opts.setDefaults()
	p, err := load(ctx, src, &opts)
	if err != nil {
		return nil, err
	}
	s := &scan{p: p, hot: findHot(p, &opts)}
	s.sink = newSink(s.hot)
	s.in = newInterp(ctx, p, s.hot, newHooks(opts.Rules), s.sink)
	if s.native, err = loadNative(ctx, p); err != nil {
		return nil, err
	}
	return s, nil
}

func (o *Options) setDefaults() {
	if o.Workers <= 0 {
		o.Workers = 2
	}
	if o.MaxFileSize <= 0 {
		o.MaxFileSize = 2 << 20
	}
	if o.ParseLimit <= 0 {
		o.ParseLimit = 10 * time.Second
	}
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
}

// interpret looks at every hot function: first at the ones that no other hot function calls, then at those that no
// caller has been followed into, in the order of their distance from a root. Within one distance the order is that of
// the files, so that a file is parsed again at most a few times.
func (s *scan) interpret(ctx context.Context) error {
	order := slices.Clone(s.hot.order)
	slices.SortStableFunc(order, func(a, b *Func) int {
		return cmp.Or(s.turn(a)-s.turn(b), cmp.Compare(a.Path, b.Path), a.ord-b.ord)
	})
	ahead := make(chan *module, len(order))
	throttle := &readAhead{order: order, out: ahead}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.p.trees.ahead(ctx, ahead)
	}()
	defer func() {
		close(ahead)
		<-done
	}()
	for i, f := range order {
		if s.in.callers[f] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("scan: %w", err)
		}
		throttle.at(i, s.in.callers)
		if err := s.in.runEntry(f); err != nil {
			s.p.unread = append(s.p.unread, unreadable{path: f.Path, line: f.Line, why: err.Error()})
		}
	}
	s.unreached()
	s.around()
	s.sink.settle(s.in.handings)
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("scan: %w", err)
	}
	for _, path := range sortedKeys(s.in.failed) {
		s.p.unread = append(s.p.unread, unreadable{path: path, why: s.in.failed[path].Error(), transient: true})
	}
	return nil
}

// readAhead names the next few files to parse.
type readAhead struct {
	order []*Func
	out   chan<- *module
	next  int
	files int // named and not yet reached
	last  *module
	cur   *module
}

const aheadFiles = 6

// at is called when the interpreter comes to order[i].
func (r *readAhead) at(i int, seen map[*Func]bool) {
	if m := r.order[i].mod; m != r.cur {
		r.cur = m
		r.files = max(r.files-1, 0)
	}
	r.next = max(r.next, i+1)
	for ; r.files < aheadFiles && r.next < len(r.order); r.next++ {
		f := r.order[r.next]
		if seen[f] || f.mod == r.last || f.mod == r.cur {
			continue
		}
		r.last = f.mod
		r.files++
		r.out <- f.mod
	}
}

// turn is 0 for step protocols, 1 for roots that nobody on the hot path calls, and grows with the distance for the
// rest.
func (s *scan) turn(f *Func) int {
	open := 0
	if s.hot.info[f].open {
		open = 1000 // what runs for certain is looked at first
	}
	switch {
	case f.Class == nil && f.outer == nil && f.short == "step" && s.hot.protocol(f.mod):
		return 0
	case !s.hot.called[f]:
		return open + 1
	}
	return open + 2 + s.hot.info[f].dist
}

// release drops what only the interpretation needs: what comes now, findings and their rendering, takes memory too.
func (s *scan) release() {
	s.in.memo, s.in.objects, s.in.globals, s.in.uses, s.in.blocks = nil, nil, nil, nil, nil
	s.p.trees.clear()
}

func (s *scan) report(ctx context.Context) (*Report, error) {
	s.release()
	s.native.report(s.sink)
	f := &finisher{ctx: ctx, p: s.p, hot: s.hot, rules: map[string]*Rule{}, now: s.p.opts.Now, texts: map[string][]byte{}}
	for _, r := range s.p.opts.Rules {
		f.rules[r.ID] = r
	}
	out := &Report{Findings: f.findings(s.sink.list()), Files: len(s.p.modules) + s.p.skipped, Notes: s.p.notes}
	for _, m := range s.p.modules {
		out.Functions += len(m.all)
	}
	hot := map[*Func]bool{}
	for _, fn := range s.hot.order {
		hot[fn] = true
	}
	for fn := range s.in.callers {
		hot[fn] = true
	}
	out.Hot = len(hot) + s.native.count()
	for _, u := range s.p.unread {
		out.Transient = out.Transient || u.transient
		out.Notes = append(out.Notes, u.path+": "+u.why)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("scan: %w", err)
	}
	return out, nil
}
