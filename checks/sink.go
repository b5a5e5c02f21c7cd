package checks

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// raw is one hazard before it becomes a finding: places are spans, evidence is not yet text.
type raw struct {
	rule       *Rule
	path       string
	span       pyast.Span
	function   string
	message    string
	fix        string
	code       string
	severity   finding.Severity
	confidence finding.Confidence
	tokens     []string
	flow       *Flow
	stack      []*Func // from the entry on
	chain      []*Func // from the root on
	guard      *guard
	rests      grounds
}

type place struct {
	rule, path string
	off, end   uint32
}

// sink collects hazards, one for each rule and place.
type sink struct {
	found map[place]*raw
	order []place // in which they came first
}

func newSink() *sink { return &sink{found: map[place]*raw{}} }

func (h *raw) place() place { return place{h.rule.ID, h.path, h.span.Off, h.span.EndOff} }

// wants reports whether h says more than what is known of its place. What they rest on counts for the one that stays.
func (s *sink) wants(key place, h *raw) bool {
	old := s.found[key]
	if old == nil {
		return true
	}
	if h.confidence == finding.Likely && old.confidence == finding.Likely && (h.guard == nil) == (old.guard == nil) {
		old.rests.add(&h.rests)
		h.rests = old.rests
	}
	return h.better(old)
}

// put keeps the report of a place that says more.
func (s *sink) put(key place, h *raw) {
	if s.found[key] == nil {
		s.order = append(s.order, key)
	}
	s.found[key] = h
}

// report is Pass.Report.
func (in *interp) report(p *Pass, n pyast.Node, v *Value, r report) {
	fr := p.fr
	if in.opts.SkipCold && !p.rule.Setup && fr.never() {
		return
	}
	span := n.Pos()
	key := place{p.rule.ID, fr.u.mod.path, span.Off, span.EndOff}
	if fr.once > 0 || fr.hotness().open && !p.rule.Setup {
		r.confidence = finding.Possible
	}
	if in.rest != nil {
		if !in.rest.has(key.path, span) {
			return
		}
		r.confidence = finding.Possible
	}
	h := &raw{rule: p.rule, path: key.path, span: span, fix: r.fix, severity: r.severity, confidence: r.confidence}
	if v != nil {
		h.flow = v.Flow
	}
	if n := len(fr.guards); n > 0 {
		h.guard = &fr.guards[0]
	}
	if !in.around {
		h.stack = in.stack()
	}
	h.chain = in.hot.way(h.stack)
	h.rests.on(v)
	old := in.sink.found[key]
	if !in.sink.wants(key, h) {
		return
	}
	h.code = oneLine(fr.u.tree.Text(n))
	h.message = strings.ReplaceAll(r.message, "{expr}", "`"+h.code+"`")
	h.function = "<module>"
	if fr.fn != nil {
		h.function = fr.fn.Name
	}
	if h.tokens = nil; old != nil {
		h.tokens = old.tokens
	} else {
		h.tokens = pyast.Tokens(fr.u.tree, n)
	}
	in.sink.put(key, h)
}

// way is the way from a root of the hot path to where the interpreter is.
func (h *hotPath) way(st []*Func) []*Func {
	if len(st) == 0 {
		return nil
	}
	way := h.chain(st[0])
	if len(way) == 0 {
		return st
	}
	return append(way, st[1:]...)
}

// better reports whether h says more than old about the same place: it counts, it is certain, it is reached sooner.
func (h *raw) better(old *raw) bool {
	if (h.guard == nil) != (old.guard == nil) {
		return h.guard == nil
	}
	if h.confidence != old.confidence {
		return h.confidence == finding.Likely
	}
	if h.severity != old.severity {
		return h.severity.AtLeast(old.severity)
	}
	return len(h.chain) < len(old.chain)
}

// list returns what is left after the rules that describe the same hazard better have had their way, in order.
func (s *sink) list() []*raw {
	out := make([]*raw, 0, len(s.found))
	for _, h := range s.found {
		out = append(out, h)
	}
	slices.SortFunc(out, func(a, b *raw) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.span.Off, b.span.Off), cmp.Compare(b.span.EndOff, a.span.EndOff),
			cmp.Compare(a.rule.ID, b.rule.ID))
	})
	drop := map[*raw]bool{}
	for i, a := range out {
		if len(a.rule.Over) == 0 {
			continue
		}
		// Hazards inside a start at a or later; the one around it may be listed before it with the same start.
		for j := max(0, i-4); j < len(out); j++ {
			b := out[j]
			if b.path != a.path || b.span.Off >= a.span.EndOff {
				if j > i {
					break
				}
				continue
			}
			if b != a && b.span.Off >= a.span.Off && b.span.EndOff <= a.span.EndOff && slices.Contains(a.rule.Over, b.rule.ID) &&
				!a.worse(b) {
				drop[b] = true
			}
		}
	}
	return slices.DeleteFunc(out, func(h *raw) bool { return drop[h] })
}

// worse reports whether dropping b for a would lose something that counts.
func (h *raw) worse(b *raw) bool {
	return h.guard != nil && b.guard == nil || h.confidence == finding.Possible && b.confidence != finding.Possible
}
