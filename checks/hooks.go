package checks

import (
	"cmp"
	"maps"
	"slices"
	"sync/atomic"
)

// hooks sorts the rules by the event they look at, so that an event that nobody wants costs a length test.
type hooks struct {
	named   map[string][]*Rule // rules with Calls, by canonical name
	anyCall []*Rule
	onTruth []*Rule
	onIn    []*Rule
	onLoad  []*Rule
	onStore []*Rule
	onIter  []*Rule
	onFmt   []*Rule
	onAttr  []*Rule
	onBin   []*Rule
	onWith  []*Rule
	onRet   []*Rule
	onFunc  []*Rule
	onDone  []*Rule
}

// lastHooks are those that were made last: all scans of a process mostly have the same rules, which name thousands of
// operations.
var lastHooks atomic.Pointer[sorted]

// sorted are rules and what came of sorting them.
type sorted struct {
	rules []*Rule
	hooks *hooks
}

// hooksOf sorts rules.
func hooksOf(rules []*Rule) *hooks {
	last := lastHooks.Load()
	if last == nil || !slices.Equal(last.rules, rules) {
		last = &sorted{slices.Clone(rules), newHooks(rules)}
		lastHooks.Store(last)
	}
	return last.hooks
}

func newHooks(rules []*Rule) *hooks {
	h := &hooks{named: map[string][]*Rule{}}
	for _, r := range rules {
		if r.Call != nil && r.Calls == nil {
			h.anyCall = append(h.anyCall, r)
		}
		if r.Call != nil {
			for _, n := range r.Calls {
				h.named[n] = append(h.named[n], r)
			}
		}
		for _, x := range []struct {
			on   bool
			list *[]*Rule
		}{{r.Truth != nil, &h.onTruth}, {r.Membership != nil, &h.onIn}, {r.Load != nil, &h.onLoad},
			{r.Store != nil, &h.onStore}, {r.Iterate != nil, &h.onIter}, {r.Format != nil, &h.onFmt},
			{r.AttrStore != nil, &h.onAttr}, {r.Binary != nil, &h.onBin}, {r.With != nil, &h.onWith},
			{r.Return != nil, &h.onRet}, {r.Function != nil, &h.onFunc}, {r.Done != nil, &h.onDone}} {
			if x.on {
				*x.list = append(*x.list, r)
			}
		}
	}
	return h
}

// each calls f for the rules that look at the frame. They are given one Pass after the other in the same place: none keeps it.
func each(fr *frame, rules []*Rule, f func(*Rule, *Pass)) {
	for _, r := range rules {
		if fr.in.around && !r.Setup {
			continue
		}
		fr.pass.rule = r
		f(r, &fr.pass)
	}
}

func (h *hooks) call(fr *frame, c *Call) {
	each(fr, h.named[c.Name], func(r *Rule, p *Pass) { r.Call(p, c) })
	each(fr, h.anyCall, func(r *Rule, p *Pass) { r.Call(p, c) })
}

func (h *hooks) truth(fr *frame, t *Truth) {
	each(fr, h.onTruth, func(r *Rule, p *Pass) { r.Truth(p, t) })
}

func (h *hooks) membership(fr *frame, m *Membership) {
	each(fr, h.onIn, func(r *Rule, p *Pass) { r.Membership(p, m) })
}

func (h *hooks) load(fr *frame, l *Load) {
	each(fr, h.onLoad, func(r *Rule, p *Pass) { r.Load(p, l) })
}

func (h *hooks) store(fr *frame, s *Store) {
	each(fr, h.onStore, func(r *Rule, p *Pass) { r.Store(p, s) })
}

func (h *hooks) iterate(fr *frame, i *Iterate) {
	each(fr, h.onIter, func(r *Rule, p *Pass) { r.Iterate(p, i) })
}

func (h *hooks) format(fr *frame, f *Format) {
	each(fr, h.onFmt, func(r *Rule, p *Pass) { r.Format(p, f) })
}

func (h *hooks) attrStore(fr *frame, a *AttrStore) {
	each(fr, h.onAttr, func(r *Rule, p *Pass) { r.AttrStore(p, a) })
}

func (h *hooks) binary(fr *frame, b *Binary) {
	each(fr, h.onBin, func(r *Rule, p *Pass) { r.Binary(p, b) })
}

func (h *hooks) with(fr *frame, w *With) {
	each(fr, h.onWith, func(r *Rule, p *Pass) { r.With(p, w) })
}

func (h *hooks) ret(fr *frame, t *Return) {
	each(fr, h.onRet, func(r *Rule, p *Pass) { r.Return(p, t) })
}

func (h *hooks) function(_ *interp, fr *frame) {
	each(fr, h.onFunc, func(r *Rule, p *Pass) { r.Function(p) })
}

func (h *hooks) done(fr *frame) {
	each(fr, h.onDone, func(r *Rule, p *Pass) {
		if fr.fn != nil && (len(r.Mentions) == 0 || slices.Contains(fr.fn.wanted, r)) {
			r.Done(p)
		}
	})
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
