package checks

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Memory makes scans of many trees of one repository cheap: what does not change from one tree to the next is neither
// read nor interpreted again. A report is the same with and without it. It keeps about 100 MB for a repository of the
// size of vLLM. It may be used from several goroutines, which take turns.
type Memory struct {
	mu     sync.Mutex
	files  map[string][]*known // by path, the last one first
	tables map[string]*table   // by options
	wiring *wiring
	spent  time.Duration // on what was not known, since it was kept last
	scans  int           // since it was made
	trees  *treeCache    // of a walk, see treesFor
	wired  bool          // the wiring was written
	stored Trees
	// reading is closed when files and wiring have been read, readingTables when what is known of tasks has; nil when nothing
	// is read. Listed are the files that are read, see lacks.
	reading, readingTables chan struct{}
	listed                 map[uint64]bool
}

// NewMemory remembers nothing yet.
func NewMemory() *Memory {
	return &Memory{files: map[string][]*known{}, tables: map[string]*table{}, wiring: newWiring()}
}

// TreeKey names a syntax tree by a digest of the source that it was parsed from.
type TreeKey digest

// Trees are syntax trees in their short form that another process has parsed; nil for one that is not there. It may be
// called from several goroutines.
type Trees interface{ Tree(TreeKey) []byte }

// UseTrees takes trees from t before files are parsed again.
func (m *Memory) UseTrees(t Trees) { m.stored = t }

// EachTree calls f for the short form of each tree that was made by this process and is at hand, in the order of paths.
// Save drops them.
func (m *Memory) EachTree(f func(key TreeKey, tree []byte)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.filesReady()
	for _, path := range sortedKeys(m.files) {
		for _, k := range m.files[path] {
			if k.mod.packed.data != nil {
				f(TreeKey(k.mod.packed.sum), k.mod.packed.data)
			}
		}
	}
}

// known is a file that was indexed.
type known struct {
	id   string
	mod  *module
	bad  []unreadable
	used int // the scan that met it last
}

// Versions are how many contents of one file, and outcomes of one task, are kept: two commits that are compared in turn
// find theirs.
const versions = 3

// Scan is the function Scan with a memory. Only files with an ID are remembered.
func (m *Memory) Scan(ctx context.Context, src Source, opts Options) (*Report, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	start := time.Now()
	m.scans++
	s, err := newScan(ctx, src, opts, m)
	if err != nil {
		return nil, err
	}
	indexed := time.Since(start) * time.Duration(s.p.fresh) / time.Duration(max(1, len(s.p.modules)))
	if err := s.interpret(ctx); err != nil {
		return nil, err
	}
	m.spent += indexed + time.Duration(s.spent.Load())
	return s.report(ctx)
}

// Spent is how long scans were at what was new to them, since the memory was made or saved: what another process
// can save at most when it is given what Save gives.
func (m *Memory) Spent() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.spent
}

// module finds a file that was indexed before.
func (m *Memory) module(f File) (*module, []unreadable) {
	if m == nil || f.ID == "" {
		return nil, nil
	}
	for _, k := range m.files[f.Path] {
		if k.id == f.ID {
			k.used = m.scans
			return k.mod, k.bad
		}
	}
	return nil, nil
}

// keepModule remembers the module of a file.
func (m *Memory) keepModule(mod *module, bad []unreadable) {
	if m == nil || mod.file.ID == "" {
		return
	}
	m.files[mod.path] = front(m.files[mod.path], &known{mod.file.ID, mod, bad, m.scans}, func(k *known) bool { return k.id == mod.file.ID })
}

// front puts x before the others and drops what is the same, and the oldest.
func front[T any](list []T, x T, same func(T) bool) []T {
	out := append(make([]T, 0, versions), x)
	for _, o := range list {
		if !same(o) && len(out) < versions {
			out = append(out, o)
		}
	}
	return out
}

// again makes a module part of another scan: what it is linked to belongs to the last one.
func (m *module) again(f File, trees *treeCache) {
	m.file, m.trees = f, trees
	m.names, m.hotMarks = nil, nil
	for _, c := range m.allCls {
		c.subs, c.mro, c.ext, c.data, c.shape = nil, nil, nil, c.ownData, digest{}
		c.makers, c.makersHot, c.madeHot = nil, nil, false
	}
}

// table is what is remembered of scans with the same options.
type table struct {
	ids    map[fact]uint32
	slots  []factSlot
	units  map[string][]*memo // by the key of the task, the last one first
	states map[uint32][]*memo // by the fact that they tell, the last one first
	native map[string][]*knownNative
	turn   uint32 // counts scans
	// told is what facts are, by their numbers: see carry.go. What was told in base or later holds.
	told  []told
	base  uint32
	dense int // count when it was compacted last
	// newest is set, when it is written, for the table of the tree whose wiring is written.
	newest bool
	index  factIndex
	kept   map[fact]*keptState // see states_keep.go
	parts  map[digest]*parts   // of states, by their digests
	words  wordNumbers         // names of attributes
	// keptCost is what they take, in bytes.
	keptCost int
	scan     int        // of the memory
	mu       sync.Mutex // of ids and slots, while tasks run side by side
}

// factSlot is a fact and what it has been.
type factSlot struct {
	fact   fact
	states []state
	missed uint32 // the turn in which peek did not know it
}

// memo is the outcome of a task, or what the state of a class is, and what it was when it asked.
type memo struct {
	facts []factWas
	reads []uint32 // which attributes it read of which states, see reads.of
	out   *outcome // of a task
	state uint32   // of a state: which of those of its fact
	held  uint32   // the newest turn in which it was found to hold
	used  int      // the scan that met it last
}

type factWas struct{ id, state uint32 }

// table finds the one for these options and begins a scan.
func (m *Memory) table(o *Options) *table {
	if m == nil {
		return nil
	}
	m.ready()
	key := o.key()
	t := m.tables[key]
	if t == nil {
		t = &table{ids: map[fact]uint32{}, units: map[string][]*memo{}, states: map[uint32][]*memo{}, native: map[string][]*knownNative{}}
		m.tables[key] = t
	}
	t.begin(&m.wiring.step, t.scan == m.scans-1)
	t.scan = m.scans
	return t
}

// key names the options that decide what an interpretation gives.
func (o *Options) key() string {
	rules := make([]string, len(o.Rules))
	for i, r := range o.Rules {
		rules[i] = r.ID
	}
	key := fmt.Sprintf("%q %q %q %q %q %q %t %d %d", rules, o.Include, o.Exclude, o.Roots, o.LoadTime, o.Guards, o.AllFunctions,
		o.MaxFileSize, o.ParseLimit)
	if o.SkipCold {
		key += " cold"
	}
	return key
}

// id numbers a fact.
func (t *table) id(f fact) uint32 {
	t.number()
	id, ok := t.ids[f]
	if !ok {
		id = uint32(len(t.slots))
		t.ids[f] = id
		t.slots, t.told = append(t.slots, factSlot{fact: f}), append(t.told, told{})
	}
	return id
}

// number makes the numbers of facts that were read or have others now.
func (t *table) number() {
	if len(t.ids) < len(t.slots) {
		for i := range t.slots {
			t.ids[t.slots[i].fact] = uint32(i)
		}
	}
}

// now is the number of the state that a fact has in this scan, -1 for one that it never had. It is called with the lock.
func (t *table) now(s *scan, id uint32) int32 {
	if !t.valid(id) {
		x := &t.slots[id]
		t.set(id, int32(slices.Index(x.states, s.stateOf(x.fact))))
	}
	return t.told[id].now
}

// is makes st what a fact is in this scan, and gives its number. It is called with the lock.
func (t *table) is(id uint32, st state) uint32 {
	x := &t.slots[id]
	n := slices.Index(x.states, st)
	if n < 0 {
		n = len(x.states)
		x.states = append(x.states, st)
	}
	t.set(id, int32(n))
	return uint32(n)
}

// key names a task: the functions, what is asked about them without reading, and what holds for the whole project.
func (s *scan) key(t *task) string {
	if s.table == nil {
		return ""
	}
	b := append(make([]byte, 0, 64+32*len(t.funcs)), t.mod.path...)
	for _, on := range [...]bool{t.around, s.p.setsDev, s.p.entersDev, s.p.keeps} {
		b = strconv.AppendBool(append(b, ' '), on)
	}
	for _, f := range t.funcs {
		info := s.hot.info[f]
		b = append(append(b, ' '), f.Name...)
		b = strconv.AppendInt(append(b, ' '), int64(f.dup), 10)
		b = strconv.AppendInt(append(b, ' '), int64(info.dist), 10)
		b = strconv.AppendBool(append(b, ' '), info.open)
		if t.rest != nil {
			for _, r := range t.rest.spans {
				b = strconv.AppendInt(append(b, ' '), int64(int32(r.from)-int32(f.top.off)), 10)
				b = strconv.AppendInt(append(b, '-'), int64(int32(r.end)-int32(f.top.off)), 10)
			}
		}
	}
	return string(b)
}
