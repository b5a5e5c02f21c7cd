package checks

import (
	"cmp"
	"slices"

	"github.com/gatebot/gatebot/internal/pyast"
)

// A function of the project is looked at with the arguments of its callers, and a test of a known argument takes one
// side only. What no caller leads to is looked at last, with what the declarations say: callers outside the project
// may lead there. What is found there is possible, since nobody was seen to run it.

// blockAt is a suite of statements by where it starts.
type blockAt struct {
	mod *module
	off uint32
}

// progress says how far a suite has been run.
type progress struct {
	fn        *Func
	ran       int
	from, end uint32 // what has not been run, as offsets; from is end when all has
}

type span struct{ from, end uint32 }

// mark notes that the first n statements of a suite have been run.
func (fr *frame) mark(body []pyast.Stmt, n int) {
	if len(body) == 0 || fr.fn == nil || !fr.in.emits() || fr.in.rest != nil || fr.in.around {
		return
	}
	key := blockAt{fr.u.mod, body[0].Pos().Off}
	p := fr.in.blocks[key]
	if p == nil {
		p = &progress{fn: fr.fn, ran: -1, end: body[len(body)-1].Pos().EndOff}
		fr.in.blocks[key] = p
		fr.in.blockOrder = append(fr.in.blockOrder, key)
	}
	if n <= p.ran {
		return
	}
	p.ran, p.from = n, p.end
	if n < len(body) {
		p.from = body[n].Pos().Off
	}
}

// unreached are the tasks that look at what is left, one for each function.
func (s *scan) unreached() []*task {
	s.reached()
	left := map[*Func][]span{}
	for _, p := range s.blocks {
		if p.fn.outer == nil {
			left[p.fn] = append(left[p.fn], span{p.from, p.end})
		}
	}
	order := make([]*Func, 0, len(left))
	for f := range left {
		order = append(order, f)
	}
	slices.SortFunc(order, func(a, b *Func) int { return cmp.Or(cmp.Compare(a.Path, b.Path), a.ord-b.ord) })
	out := make([]*task, len(order))
	for i, f := range order {
		slices.SortFunc(left[f], func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.end, b.end)) })
		out[i] = &task{mod: f.mod, funcs: []*Func{f}, rest: &rest{path: f.Path, spans: left[f]}}
	}
	return out
}

// reached takes away the suites that another task has run to their end.
func (s *scan) reached() {
	open := map[*Func]bool{}
	for _, p := range s.blocks {
		open[p.fn] = true
	}
	for at := range s.whole {
		delete(s.blocks, at)
	}
	for _, t := range s.taken {
		for i := range t.out.Blocks {
			b := &t.out.Blocks[i]
			if f := t.funcs[b.Func]; f != nil && b.whole() && open[f] {
				delete(s.blocks, b.at(t.funcs))
			}
		}
	}
	s.taken = nil
	clear(s.whole)
}

// rest is what is looked at in the last turn.
type rest struct {
	path  string
	spans []span
}

func (r *rest) has(path string, s pyast.Span) bool {
	return path == r.path && slices.ContainsFunc(r.spans, func(x span) bool { return x.from <= s.Off && s.EndOff <= x.end })
}
