package checks

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gatebot/gatebot/internal/pyast"
)

// guard is a condition that is false in production, and under which a hazard is kept but does not count.
type guard struct {
	text string
	path string
	line int
	off  uint32
}

// guardOf says which side of a condition runs outside production only; nil for a side that is ordinary code.
func (fr *frame) guardOf(test pyast.Expr) (then, els *guard) {
	p := fr.polarity(test)
	if p == 0 {
		return nil, nil
	}
	g := &guard{text: oneLine(fr.u.tree.Text(test)), path: fr.u.mod.path, line: int(test.Pos().Start.Line), off: test.Pos().Off}
	if p > 0 {
		return g, nil
	}
	g.text = "not (" + g.text + ")"
	return nil, g
}

// polarity is 1 when e is true outside production only, -1 when e is false outside production only, else 0.
func (fr *frame) polarity(e pyast.Expr) int {
	if fr.configured(e) {
		return 1
	}
	switch e := e.(type) {
	case *pyast.Name:
		return fr.flag(e.ID, e)
	case *pyast.Attr:
		switch e.Name {
		case "is_cpu":
			return 1
		case "is_cuda":
			return -1
		}
		return fr.flag(e.Name, e)
	case *pyast.Unary:
		if e.Op == "not" {
			return -fr.polarity(e.X)
		}
	case *pyast.Bool:
		return fr.polarityBoth(e)
	case *pyast.Compare:
		return fr.polarityCompare(e)
	case *pyast.Call:
		return fr.polarityCall(e)
	}
	return 0
}

// configured reports whether the configuration names this condition.
func (fr *frame) configured(e pyast.Expr) bool {
	if len(fr.in.opts.Guards) == 0 {
		return false
	}
	t := squeeze(fr.u.tree.Text(e))
	for _, g := range fr.in.opts.Guards {
		if g = squeeze(g); g != "" && (t == g || strings.HasSuffix(t, "."+g)) {
			return true
		}
	}
	return false
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

// says reports whether the source of n is text, which is squeezed.
func (fr *frame) says(n pyast.Node, text string) bool {
	at := n.Pos()
	for src := fr.u.tree.Source[at.Off:at.EndOff]; len(src) > 0; {
		r, size := utf8.DecodeRune(src)
		char := src[:size]
		src = src[size:]
		if unicode.IsSpace(r) {
			continue
		}
		if !strings.HasPrefix(text, string(char)) {
			return false
		}
		text = text[size:]
	}
	return text == ""
}

// flag judges a condition that is a plain name: by the name, or because it is a constant of the module that is false.
func (fr *frame) flag(name string, e pyast.Expr) int {
	if debugName(name) {
		return 1
	}
	if id, ok := e.(*pyast.Name); ok {
		if isConstantName(id.ID) {
			if v, known := fr.constantOf(id.ID); known && !v.True() {
				return 1
			}
		}
		return fr.switchedOff(id.ID, 3)
	}
	return fr.envField(e)
}

// debugPath reports whether a file is for debugging, for measuring, for making errors on purpose or for loading, by its
// name or a folder's.
func debugPath(path string) bool {
	if strings.Contains(path, "fault_inject") || strings.Contains(path, "model_loader/") || strings.HasSuffix(path, "_ref.py") {
		return true
	}
	for w := range strings.FieldsFuncSeq(strings.TrimSuffix(path, ".py"), func(r rune) bool { return r == '/' || r == '_' }) {
		switch w {
		case "debug", "debugging", "dbg", "diagnostics", "dumper", "perturb", "canary", "profiler", "profiling":
			return true
		}
	}
	return false
}

// debugName reports whether a flag of that name is off in production.
func debugName(name string) bool {
	for w := range strings.SplitSeq(strings.ToLower(name), "_") {
		switch w {
		case "debug", "verbose", "verbosity", "dbg", "diagnostics", "diagnostic", "trace", "loss", "losses":
			return true
		}
	}
	n := strings.ToLower(strings.Trim(name, "_"))
	return n == "type_checking" || n == "training" || n == "is_training" || n == "labels" // a loss is for training
}

func isConstantName(s string) bool {
	upper := false
	for _, r := range s {
		if r >= 'a' && r <= 'z' || r >= utf8.RuneSelf && unicode.ToUpper(r) != r {
			return false
		}
		upper = upper || unicode.ToLower(r) != r
	}
	return upper
}

// constantOf is the value of a module constant; unknown names and variables of the function are none.
func (fr *frame) constantOf(name string) (*Value, bool) {
	if _, local := fr.env.get(name); local {
		return nil, false
	}
	v := fr.in.globalValue(fr.u.mod, name)
	if v == nil || v.Const == nil || v.Kind != KindNumber {
		return nil, false
	}
	return v, true
}

func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 100 {
		return string(r[:99]) + "…"
	}
	return s
}
