package checks

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/cppast"
)

var (
	debugWord   = regexp.MustCompile(`(?i)debug|verbose|profil|benchmark|sanity|selftest|unittest|testing|tracing|check_?error|launch_?blocking`)
	captureWord = regexp.MustCompile(`(?i)capturing|is_?capture|in_?capture`)
)

// preprocGuard says which side of a condition of the preprocessor is not part of a release build.
func (w *nativeWalk) preprocGuard(cond string, n cppast.Node) (then, els *guard) {
	c := strings.ReplaceAll(cond, " ", "")
	g := &guard{text: cond, path: w.file.Path, line: int(n.Pos().Start.Line)}
	negated := strings.HasPrefix(c, "!")
	switch {
	case strings.Contains(c, "NDEBUG"):
		if !negated {
			g.text = "!(" + cond + ")"
			return nil, g
		}
		if strings.Contains(c, "||") {
			return nil, nil
		}
		return g, nil
	case strings.Contains(c, "||") || !debugWord.MatchString(c):
		return nil, nil
	case negated:
		g.text = "!(" + cond + ")"
		return nil, g
	}
	return g, nil
}

// testGuard says which side of a test runs in debugging, or outside of captures, only.
func (w *nativeWalk) testGuard(e cppast.Expr) (then, els *guard) {
	if e == nil {
		return nil, nil
	}
	p := w.polarity(e, 0)
	if p == 0 && len(w.rules.guards) > 0 && slices.Contains(w.rules.guards, strings.Join(strings.Fields(w.file.Text(e)), "")) {
		p = 1
	}
	g := &guard{text: oneLine(w.file.Text(e)), path: w.file.Path, line: int(e.Pos().Start.Line)}
	switch {
	case p > 0:
		return g, nil
	case p < 0:
		g.text = "not (" + g.text + ")"
		return nil, g
	}
	return nil, nil
}

// polarity is 1 when e is true outside of captured production code only, -1 when it is false there only, else 0.
func (w *nativeWalk) polarity(e cppast.Expr, depth int) int {
	if depth > 32 {
		return 0
	}
	switch e := e.(type) {
	case *cppast.Name:
		return flagPolarity(e.ID)
	case *cppast.Member:
		return flagPolarity(e.Name)
	case *cppast.Call:
		name := calleeName(e)
		if p := flagPolarity(lastPart(name)); p != 0 {
			return p
		}
		if lastPart(name) == "getenv" && len(e.Args) == 1 {
			if l, ok := e.Args[0].(*cppast.Lit); ok {
				return flagPolarity(l.Text)
			}
		}
	case *cppast.Unary:
		if e.Op == "!" {
			return -w.polarity(e.X, depth+1)
		}
	case *cppast.Binary:
		return w.binaryPolarity(e, depth)
	}
	return 0
}

func (w *nativeWalk) binaryPolarity(e *cppast.Binary, depth int) int {
	l, r := w.polarity(e.L, depth+1), w.polarity(e.R, depth+1)
	switch e.Op {
	case "&&":
		if l > 0 || r > 0 {
			return 1
		}
	case "||":
		if l < 0 || r < 0 {
			return -1
		}
	case ">", ">=":
		return max(l, 0)
	case "==", "!=":
		text := w.file.Text(e)
		if strings.Contains(text, "CaptureStatus") && strings.Contains(text, "None") {
			if e.Op == "==" {
				return 1
			}
			return -1
		}
	}
	return 0
}

func flagPolarity(name string) int {
	switch {
	case captureWord.MatchString(name):
		return -1
	case debugWord.MatchString(name):
		return 1
	}
	return 0
}

// firstUse reports whether a test asks for something that is not there yet: `!ws`, `ws == nullptr`, `!initialized`.
func firstUse(e cppast.Expr) bool {
	switch e := e.(type) {
	case *cppast.Unary:
		if e.Op != "!" {
			return false
		}
		switch x := e.X.(type) {
		case *cppast.Name:
			return flagPolarity(x.ID) == 0
		case *cppast.Member:
			return flagPolarity(x.Name) == 0
		case *cppast.Index:
			return true
		case *cppast.Call:
			switch lastPart(calleeName(x)) {
			case "defined", "has_value", "load", "initialized", "exchange", "count", "contains":
				return true
			}
		}
	case *cppast.Binary:
		switch e.Op {
		case "==":
			return isNull(e.R) || isNull(e.L) || strings.Contains(calleeOf(e.R), "end") && strings.Contains(calleeOf(e.R), ".")
		case "&&", "||":
			return firstUse(e.L) || firstUse(e.R)
		}
	}
	return false
}

// staticUnset reports whether a test compares a static with what it was before: `count == 0`, `count < 0`.
func (w *nativeWalk) staticUnset(e cppast.Expr) bool {
	b, ok := e.(*cppast.Binary)
	if !ok || b.Op != "==" && b.Op != "<" {
		return false
	}
	n, ok := b.L.(*cppast.Name)
	return ok && w.env[n.ID] != nil && (w.env[n.ID].Static || w.env[n.ID].Cached)
}

func calleeOf(e cppast.Expr) string {
	if c, ok := e.(*cppast.Call); ok {
		return calleeName(c)
	}
	return ""
}

func isNull(e cppast.Expr) bool {
	switch e := e.(type) {
	case *cppast.Lit:
		return e.Text == "nullptr" || e.Text == "NULL"
	case *cppast.Name:
		return e.ID == "NULL"
	}
	return false
}
