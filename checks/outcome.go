package checks

import (
	"cmp"
	"slices"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// outcome is what a task gave, in a form that outlives trees and moves with the source: places are kept relative to the
// outermost function around them, whose text is a fact of the task. A place outside of any function is that of its file,
// and then the whole file is a fact.
type outcome struct {
	Reports []savedReport
	Names   []funcName // of functions; what follows has their places in it
	Callers []uint32   // functions that were interpreted with the arguments of a caller
	Blocks  []savedBlock
	Handed  []savedHanding
	Broken  []savedError
}

// funcName names a function of the project.
type funcName struct {
	Path, Name string
	Dup        int
}

func nameOf(f *Func) funcName { return funcName{f.Path, f.Name, f.dup} }

// spot is a piece of source.
type spot struct {
	Path     string
	Top      string // outermost function, empty for the file
	Dup      int
	Off, End int32
	Line     int32
	Start    int32 // column
	EndLine  int32
	EndCol   int32
}

type savedReport struct {
	Rule       string
	At         spot
	Function   string
	Message    string
	Fix        string
	Code       string
	Severity   finding.Severity
	Confidence finding.Confidence
	Tokens     []string
	Flow       []savedStep // newest first
	Stack      []funcName  // from the entry on
	Guard      *savedGuard
	Params     []savedParam // what it rests on, see grounds
	Firm       bool
}

type savedParam struct {
	Func funcName
	Name string
}

// savedHanding is what callers hand in for a parameter. There are tens of thousands.
type savedHanding struct {
	Func                 uint32
	Name                 string
	Host, Device, Untold bool
}

type savedStep struct {
	At   spot
	Note string
	Code string
}

type savedGuard struct {
	At   spot
	Text string
}

// savedBlock is how far a suite has been run: see progress. There are hundreds of thousands, which is why nothing in it
// points anywhere.
type savedBlock struct {
	Func, Top      int32 // the outermost function, from whose start on offsets count; -1 for the file
	Off, From, End int32
	Ran            int32
}

// whole reports whether all of the suite has been run.
func (b *savedBlock) whole() bool { return b.From >= b.End }

type savedError struct {
	Func funcName
	Why  string
}

// keeper turns what an interpreter holds into an outcome.
type keeper struct {
	in *interp
	p  *project
}

// spot takes a place out of its file.
func (k *keeper) spot(path string, s pyast.Span) spot {
	at := spot{Path: path, Off: int32(s.Off), End: int32(s.EndOff), Line: s.Start.Line, Start: s.Start.Col, EndLine: s.End.Line, EndCol: s.End.Col}
	m := k.p.byPath[path]
	if m == nil {
		return at
	}
	top := m.topAt(s.Off)
	if top == nil || s.EndOff > top.end {
		k.in.asked.files[m] = true
		return at
	}
	k.in.asked.funcs[top] = true
	at.Top, at.Dup = top.Name, top.dup
	at.Off -= int32(top.off)
	at.End -= int32(top.off)
	at.Line -= int32(top.Line)
	at.EndLine -= int32(top.Line)
	return at
}

// keep gives what the interpreter has found.
func (k *keeper) keep() *outcome {
	out := &outcome{}
	for _, key := range k.in.sink.order {
		out.Reports = append(out.Reports, k.report(k.in.sink.found[key]))
	}
	name := out.namer()
	k.steps(out, name)
	k.handed(out, name)
	out.Names, out.Callers, out.Blocks = slices.Clip(out.Names), slices.Clip(out.Callers), slices.Clip(out.Blocks)
	return out
}

// namer gives functions their places among the names.
func (o *outcome) namer() func(funcName) uint32 {
	at := map[funcName]uint32{}
	return func(n funcName) uint32 {
		i, ok := at[n]
		if !ok {
			i = uint32(len(o.Names))
			at[n] = i
			o.Names = append(o.Names, n)
		}
		return i
	}
}

// handed notes what callers hand in, in the order of functions and parameters.
func (k *keeper) handed(out *outcome, name func(funcName) uint32) {
	all := make([]param, 0, len(k.in.handings))
	for p, h := range k.in.handings {
		if h != (handing{}) {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b param) int {
		x, y := a.fn, b.fn
		return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Name, y.Name), x.dup-y.dup, cmp.Compare(a.name, b.name))
	})
	for _, p := range all {
		h := k.in.handings[p]
		out.Handed = append(out.Handed, savedHanding{name(nameOf(p.fn)), p.name, h.host, h.device, h.untold})
	}
	out.Handed = slices.Clip(out.Handed)
}

// steps notes which functions and how much of them have been run.
func (k *keeper) steps(out *outcome, name func(funcName) uint32) {
	for _, f := range k.in.followed {
		out.Callers = append(out.Callers, name(nameOf(f)))
	}
	for _, key := range k.in.blockOrder {
		p := k.in.blocks[key]
		if p.fn.outer != nil {
			continue
		}
		from := k.spot(key.mod.path, pyast.Span{Off: key.off, EndOff: p.from})
		b := savedBlock{Func: int32(name(nameOf(p.fn))), Top: -1, Off: from.Off, From: from.End, End: from.Off + int32(p.end) - int32(key.off), Ran: int32(p.ran)}
		if from.Top != "" {
			b.Top = int32(name(funcName{from.Path, from.Top, from.Dup}))
		}
		out.Blocks = append(out.Blocks, b)
	}
}

func (k *keeper) report(h *raw) savedReport {
	r := savedReport{Rule: h.rule.ID, At: k.spot(h.path, h.span), Function: h.function, Message: h.message, Fix: h.fix, Code: h.code,
		Severity: h.severity, Confidence: h.confidence, Tokens: h.tokens}
	for fl := h.flow; fl != nil; fl = fl.Prev {
		at := k.spot(fl.Path, pyast.Span{Off: fl.off, EndOff: fl.end, Start: pyast.Pos{Line: int32(fl.Line)}})
		r.Flow = append(r.Flow, savedStep{at, fl.Note, k.text(fl)})
	}
	for _, f := range h.stack {
		r.Stack = append(r.Stack, nameOf(f))
	}
	r.Firm = h.rests.firm
	for _, p := range h.rests.params {
		r.Params = append(r.Params, savedParam{nameOf(p.fn), p.name})
	}
	if g := h.guard; g != nil {
		r.Guard = &savedGuard{k.spot(g.path, pyast.Span{Off: g.off, EndOff: g.off, Start: pyast.Pos{Line: int32(g.line)}}), g.text}
	}
	return r
}

// text is the source of a step.
func (k *keeper) text(fl *Flow) string {
	m := k.p.byPath[fl.Path]
	if m == nil {
		return ""
	}
	u := k.in.unit(m)
	if u == nil || int(fl.end) > len(u.tree.Source) || fl.off >= fl.end {
		return ""
	}
	return oneLine(string(u.tree.Source[fl.off:fl.end]))
}

// span puts a place back into its file as it is now.
func (s *scan) span(at spot) pyast.Span {
	if m := s.p.byPath[at.Path]; m != nil && at.Top != "" {
		if top := m.function(at.Top, at.Dup); top != nil {
			at.Off += int32(top.off)
			at.End += int32(top.off)
			at.Line += int32(top.Line)
			at.EndLine += int32(top.Line)
		}
	}
	return pyast.Span{Off: uint32(at.Off), EndOff: uint32(at.End), Start: pyast.Pos{Line: at.Line, Col: at.Start},
		End: pyast.Pos{Line: at.EndLine, Col: at.EndCol}}
}

func (s *scan) named(n funcName) *Func {
	if m := s.p.byPath[n.Path]; m != nil {
		return m.function(n.Name, n.Dup)
	}
	return nil
}

// take adds an outcome to what the scan knows.
func (s *scan) take(o *outcome) {
	for i := range o.Reports {
		h := s.hazard(&o.Reports[i])
		if key := h.place(); s.sink.wants(key, h) { // most places are reported by several tasks
			h.flow = s.flow(&o.Reports[i])
			s.sink.put(key, h)
		}
	}
	funcs := s.takeSteps(o)
	for i := range o.Handed {
		n := &o.Handed[i]
		if f := funcs[n.Func]; f != nil {
			p := param{f, n.Name}
			h := s.handings[p]
			s.handings[p] = handing{h.host || n.Host, h.device || n.Device, h.untold || n.Untold}
		}
	}
	for _, e := range o.Broken {
		line := 1
		if f := s.named(e.Func); f != nil {
			line = f.Line
		}
		s.p.unread = append(s.p.unread, unreadable{path: e.Func.Path, line: line, why: e.Why})
	}
}

// functions are those of the names of an outcome. Where tasks are looked at before they are taken they are looked for once.
func (s *scan) functions(o *outcome) []*Func {
	funcs := s.found[o]
	if funcs == nil && len(o.Names) > 0 {
		funcs = make([]*Func, len(o.Names))
		for i, n := range o.Names {
			funcs[i] = s.named(n)
		}
		if s.table != nil {
			s.found[o] = funcs
		}
	}
	return funcs
}

// takeSteps adds which functions have been run and which suites not to their end. It gives the functions of the names.
func (s *scan) takeSteps(o *outcome) (funcs []*Func) {
	funcs = s.functions(o)
	delete(s.found, o) // it is taken once
	for _, i := range o.Callers {
		if f := funcs[i]; f != nil {
			s.callers[f] = true
		}
	}
	if s.table != nil { // the memory has it anyway
		s.taken = append(s.taken, taken{o, funcs})
	}
	for i := range o.Blocks {
		b := &o.Blocks[i]
		f := funcs[b.Func]
		if f == nil {
			continue
		}
		if b.whole() {
			if s.table == nil {
				s.whole[b.at(funcs)] = true
			}
			continue
		}
		base := b.base(funcs)
		key := b.at(funcs)
		if p := s.blocks[key]; p == nil || int(b.Ran) > p.ran {
			s.blocks[key] = &progress{fn: f, ran: int(b.Ran), from: uint32(b.From + base), end: uint32(b.End + base)}
		}
	}
	return funcs
}

// at is where a suite of a function that is still there starts.
func (b *savedBlock) at(funcs []*Func) blockAt {
	return blockAt{funcs[b.Func].mod, uint32(b.Off + b.base(funcs))}
}

// base is where the offsets of a suite count from.
func (b *savedBlock) base(funcs []*Func) int32 {
	if b.Top < 0 || funcs[b.Top] == nil {
		return 0
	}
	return int32(funcs[b.Top].off)
}

// taken is an outcome with its functions.
type taken struct {
	out   *outcome
	funcs []*Func
}

// flow is the way of the value that a report is about.
func (s *scan) flow(r *savedReport) (first *Flow) {
	last := &first
	for _, st := range r.Flow {
		at := s.span(st.At)
		*last = &Flow{Path: st.At.Path, Line: int(at.Start.Line), Note: st.Note, off: at.Off, end: at.EndOff, code: st.Code}
		last = &(*last).Prev
	}
	return first
}

// hazard makes a report one of this scan: with its way from a root as it is now, and without that of the value.
func (s *scan) hazard(r *savedReport) *raw {
	h := &raw{rule: s.rules[r.Rule], path: r.At.Path, span: s.span(r.At), function: r.Function, message: r.Message, fix: r.Fix, code: r.Code,
		severity: r.Severity, confidence: r.Confidence, tokens: r.Tokens}
	var stack []*Func
	for _, n := range r.Stack {
		if f := s.named(n); f != nil {
			stack = append(stack, f)
		}
	}
	h.chain = s.hot.way(stack)
	h.rests.firm = r.Firm
	for _, p := range r.Params {
		if f := s.named(p.Func); f != nil {
			h.rests.params = append(h.rests.params, param{f, p.Name})
		}
	}
	if r.Guard != nil {
		h.guard = &guard{text: r.Guard.Text, path: r.Guard.At.Path, line: int(s.span(r.Guard.At).Start.Line)}
	}
	return h
}
