package checks

import (
	"context"
	"fmt"
	"sync/atomic"
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
	s, err := newScan(ctx, src, opts, nil)
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
	p        *project
	hot      *hotPath
	rules    map[string]*Rule
	hooks    *hooks
	sink     *sink
	native   *nativeScan
	callers  map[*Func]bool        // functions that were interpreted in a hot context with the arguments of a caller
	blocks   map[blockAt]*progress // suites that were not run to their end
	taken    []taken               // outcomes of tasks, until it is known what is left
	found    map[*outcome][]*Func  // functions of outcomes that were looked at and not taken yet
	whole    map[blockAt]bool      // suites that were run to their end, where nothing is remembered and outcomes are dropped
	handings map[param]handing     // what callers on the hot path hand in
	failed   map[string]error      // files whose tree cannot be had
	trace    *tracer
	limit    int              // work of an entry
	fresh    int              // tasks that no memory knew
	ahead    map[string]*task // of these, by their keys: see foresee
	spent    atomic.Int64     // nanoseconds on them
	table    *table           // of what is remembered, nil when nothing is
	states   *states
}

func newScan(ctx context.Context, src Source, opts Options, memory *Memory) (*scan, error) {
	opts.setDefaults()
	p, err := load(ctx, src, &opts, memory)
	if err != nil {
		return nil, err
	}
	s := &scan{p: p, hot: findHot(p, &opts), rules: map[string]*Rule{}, hooks: hooksOf(opts.Rules), sink: newSink(),
		callers: map[*Func]bool{}, found: map[*outcome][]*Func{}, blocks: map[blockAt]*progress{}, whole: map[blockAt]bool{}, handings: map[param]handing{}, failed: map[string]error{}, limit: maxWork}
	for _, r := range opts.Rules {
		s.rules[r.ID] = r
	}
	s.table = memory.table(&opts)
	s.states = newStates(s)
	if s.native, err = loadNative(ctx, p, s.table); err != nil {
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

func (s *scan) report(ctx context.Context) (*Report, error) {
	s.blocks = nil
	s.p.trees.clear() // what comes now, findings and their rendering, takes memory too
	s.native.report(s.sink)
	f := &finisher{p: s.p, hot: s.hot, rules: s.rules, now: s.p.opts.Now}
	out := &Report{Findings: f.findings(s.sink.list()), Files: len(s.p.modules) + s.p.skipped, Notes: s.p.notes}
	for _, m := range s.p.modules {
		out.Functions += len(m.all)
	}
	hot := map[*Func]bool{}
	for _, fn := range s.hot.order {
		hot[fn] = true
	}
	for fn := range s.callers {
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
