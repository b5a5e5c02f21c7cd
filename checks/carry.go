package checks

// From one tree to the next most facts are what they were, and to ask for each of a hundred thousand again costs more than
// most commits are worth. What a fact is in one scan it is in the next one too, unless something that it follows from is
// among what the two trees differ in.

// told is what a fact is: which of the states that it has had, -1 for none of them.
type told struct {
	turn uint32 // in which that was found out
	now  int32
}

// step is what a tree differs in from the one that was scanned before it.
type step struct {
	// far is set when that is too much, or of a kind that is not followed: then every fact is asked for again.
	far     bool
	files   map[string]bool  // by path: other content, come, or gone
	words   *wordSet         // that mean something else
	kept    bool             // the inputs that a module keeps on the host may be others
	tops    []*Func          // outermost functions with other hot functions in them
	classes map[classID]bool // that say something else, or an ancestor of which is in one of the files
}

// classID names a class of the project.
type classID struct {
	path string
	ref
}

// factIndex finds the facts that a step can have changed.
type factIndex struct {
	count  int // facts that are in it
	byPath map[string][]uint32
	byWord map[string][]uint32 // names, by the words in them
	kept   []uint32
	states []uint32
	passes int // steps without it
}

// indexFacts brings the index up to date.
func (t *table) indexFacts() {
	x := &t.index
	if x.byPath == nil || x.count > len(t.slots) {
		*x = factIndex{byPath: map[string][]uint32{}, byWord: map[string][]uint32{}}
	}
	for ; x.count < len(t.slots); x.count++ {
		id, f := uint32(x.count), &t.slots[x.count].fact
		if f.kind == factState { // found out anew in each scan, from facts that are not
			x.states = append(x.states, id)
			continue
		}
		x.byPath[f.path] = append(x.byPath[f.path], id)
		switch f.kind {
		case factName:
			eachWord(f.name, func(w string) { x.byWord[w] = append(x.byWord[w], id) })
		case factKept:
			x.kept = append(x.kept, id)
		}
	}
}

// carry takes what facts were told to be in the scan before over into this one.
func (t *table) carry(s *step) {
	if t.index.byPath == nil && t.index.passes < fewScans {
		t.index.passes++
		t.pass(s)
		return
	}
	t.indexFacts()
	t.number()
	for _, id := range t.index.states {
		t.told[id].turn = 0
	}
	for path := range s.files {
		for _, id := range t.index.byPath[path] {
			t.told[id].turn = 0
		}
	}
	for word := range s.words.has {
		for _, id := range t.index.byWord[word] {
			t.told[id].turn = 0
		}
	}
	if s.kept {
		for _, id := range t.index.kept {
			t.told[id].turn = 0
		}
	}
	for _, f := range s.tops {
		if id, ok := t.ids[fact{factFunc, f.Path, f.Name, f.dup, 0, ""}]; ok {
			t.told[id].turn = 0
		}
	}
	paths := map[string]bool{}
	for c := range s.classes {
		paths[c.path] = true
	}
	for path := range paths {
		for _, id := range t.index.byPath[path] {
			if f := &t.slots[id].fact; f.kind == factClass && s.classes[classID{path, ref{f.name, f.dup}}] {
				t.told[id].turn = 0
			}
		}
	}
}

// pass is carry without an index: to look at each fact once costs a tenth of making one.
func (t *table) pass(s *step) {
	tops := make(map[classID]bool, len(s.tops))
	for _, f := range s.tops {
		tops[classID{f.Path, ref{f.Name, f.dup}}] = true
	}
	for i := range t.slots {
		if s.touches(&t.slots[i].fact, tops) {
			t.told[i].turn = 0
		}
	}
}

// touches reports whether a step can have changed a fact.
func (s *step) touches(f *fact, tops map[classID]bool) bool {
	switch {
	case f.kind == factState, len(s.files) > 0 && s.files[f.path]:
		return true
	case f.kind == factName && len(s.words.has) > 0:
		hit := false
		eachWord(f.name, func(w string) { hit = hit || s.words.has[w] })
		return hit
	case f.kind == factKept:
		return s.kept
	case f.kind == factFunc && len(tops) > 0:
		return tops[classID{f.path, ref{f.name, f.dup}}]
	case f.kind == factClass && len(s.classes) > 0:
		return s.classes[classID{f.path, ref{f.name, f.dup}}]
	}
	return false
}

// begin starts a scan; last is set when the one before it was one of this table too, of the tree that s starts from.
func (t *table) begin(s *step, last bool) {
	t.turn++
	if len(t.told) != len(t.slots) { // after loading
		t.told, t.base = make([]told, len(t.slots)), 0
	}
	if last && !s.far && t.base > 0 {
		t.carry(s)
		return
	}
	t.base = t.turn
}

// valid reports whether what a fact was told to be is so in this scan.
func (t *table) valid(id uint32) bool { return t.told[id].turn >= t.base }

// set notes what a fact is.
func (t *table) set(id uint32, now int32) { t.told[id] = told{t.turn, now} }
