package checks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Explanation says what the gate thinks of one line.
type Explanation struct {
	Path     string            `json:"path"`
	Line     int               `json:"line"`
	Function string            `json:"function"` // qualified name of the function around it, empty at the top level
	Hot      bool              `json:"hot"`
	Why      string            `json:"why"`   // why it is hot, or why it is not
	Chain    []string          `json:"chain"` // the way from a root, root first
	Values   []ExplainedValue  `json:"values"`
	Findings []finding.Finding `json:"findings"`
}

// ErrNotScanned says that a scan does not look at the file that is to be explained.
var ErrNotScanned = errors.New("not among the scanned files (check the path and hot_path.include)")

// ExplainedValue is one expression on the line and what it is taken for.
type ExplainedValue struct {
	Code   string   `json:"code"`
	Column int      `json:"column"`
	Taken  string   `json:"taken"` // "device tensor, 1-d, int (likely)"
	Flow   []string `json:"flow"`
}

// tracer keeps the values of one line.
type tracer struct {
	path string
	line int
	vals map[pyast.Span]*traced
}

type traced struct {
	code string
	v    *Value
}

func (t *tracer) value(fr *frame, e pyast.Expr, v *Value) {
	s := e.Pos()
	if fr.u.mod.path != t.path || int(s.Start.Line) != t.line {
		return
	}
	if _, ok := e.(*pyast.Const); ok {
		return
	}
	if old := t.vals[s]; old != nil {
		old.v = join(old.v, v)
		return
	}
	t.vals[s] = &traced{oneLine(fr.u.tree.Text(e)), v}
}

// Explain runs a scan and says whether a line is hot, why, and what the values on it are taken for.
func Explain(ctx context.Context, src Source, opts Options, path string, line int) (*Explanation, error) {
	s, err := newScan(ctx, src, opts, nil)
	if err != nil {
		return nil, err
	}
	m := s.p.byPath[path]
	if m == nil {
		return nil, fmt.Errorf("explain %s:%d: %w", path, line, ErrNotScanned)
	}
	t := &tracer{path: path, line: line, vals: map[pyast.Span]*traced{}}
	s.trace = t
	if err := s.interpret(ctx); err != nil {
		return nil, err
	}
	rep, err := s.report(ctx)
	if err != nil {
		return nil, err
	}
	x := &Explanation{Path: path, Line: line}
	s.where(ctx, x, m)
	for span, v := range t.vals {
		x.Values = append(x.Values, ExplainedValue{Code: v.code, Column: int(span.Start.Col), Taken: v.v.String(), Flow: flowLines(v.v)})
	}
	slices.SortFunc(x.Values, func(a, b ExplainedValue) int {
		return cmp.Or(cmp.Compare(a.Column, b.Column), cmp.Compare(len(b.Code), len(a.Code)), cmp.Compare(a.Code, b.Code))
	})
	for _, f := range rep.Findings {
		if f.Path == path && f.Line <= line && line <= f.EndLine {
			x.Findings = append(x.Findings, f)
		}
	}
	return x, nil
}

// where finds the function around the line and why it is hot or not.
func (s *scan) where(ctx context.Context, x *Explanation, m *module) {
	if m.native != nil {
		s.native.explain(x, m.native)
		return
	}
	u, err := s.p.trees.get(ctx, m)
	if err != nil {
		x.Why = err.Error()
		return
	}
	var fn *Func
	for _, f := range m.all {
		if d := u.function(f); d != nil && int(d.Start.Line) <= x.Line && x.Line <= int(d.End.Line) {
			fn = f // the innermost comes last
		}
	}
	if fn == nil {
		x.Why = "outside of any function: runs when the module is imported"
		return
	}
	x.Function = fn.Name
	_, byName := s.hot.info[fn]
	switch {
	case byName:
		x.Hot = true
		for _, f := range s.hot.chain(fn) {
			x.Chain = append(x.Chain, f.Name)
		}
		x.Why = "reached from the root " + x.Chain[0]
		if len(x.Chain) == 1 {
			x.Why = "a root of the hot path"
		}
	case s.callers[fn]:
		x.Hot, x.Why = true, "called by hot code through a value (a dispatch table, an argument)"
	case s.hot.cold(fn):
		x.Why = fmt.Sprintf("%s runs at load time, at warm-up or around a capture", fn.short)
	case fn.mod.outsideStep():
		x.Why = "tests and benchmarks are not part of a step"
	default:
		x.Why = "no root of the hot path reaches it"
	}
}

func flowLines(v *Value) []string {
	var out []string
	if v == nil {
		return nil
	}
	for f := v.Flow; f != nil; f = f.Prev {
		note := f.Note
		if note == "" {
			note = "computed"
		}
		out = append(out, fmt.Sprintf("%s:%d: %s", f.Path, f.Line, note))
	}
	slices.Reverse(out)
	return out
}

var kindNames = [...]string{"unknown", "None", "tensor", "NumPy array", "number", "text", "tuple", "list", "dict", "slice",
	"object", "class", "function", "outside name", "module", "stream", "event", "graph", "dtype", "device", "shape",
	"generator", "..."}

// String is what a value is taken for, in words.
func (v *Value) String() string {
	if v == nil {
		return "unknown"
	}
	var b strings.Builder
	switch {
	case v.Kind == KindTensor:
		b.WriteString([...]string{"tensor of unknown place", "device tensor", "CPU tensor (pageable)", "pinned CPU tensor", "host tensor"}[v.Place])
		if v.Rank >= 0 {
			fmt.Fprintf(&b, ", %d-d", v.Rank)
		}
		b.WriteString([...]string{"", ", bool", ", int", ", float"}[v.DType])
		if v.Sure == Possible {
			b.WriteString(" (possible)")
		} else {
			b.WriteString(" (likely)")
		}
	case v.Kind == KindUnknown && v.Place == PlaceHost:
		b.WriteString("host value")
	case v.Kind == KindInstance && v.Class != nil:
		b.WriteString("object of class " + v.Class.Name)
	case v.Kind == KindFunc && v.Func != nil && v.lambda() == nil:
		b.WriteString("function " + v.Func.Name)
	case v.Kind == KindExternal:
		b.WriteString(v.Name)
	case v.Kind == KindDevice:
		b.WriteString([...]string{"unknown device", "the device", "the CPU", "the CPU", "the CPU"}[v.Place])
	default:
		b.WriteString(kindNames[v.Kind])
		if v.Const != nil {
			fmt.Fprintf(&b, " %v", v.Const)
		}
	}
	if v.Optional {
		b.WriteString(" or None")
	}
	return b.String()
}
