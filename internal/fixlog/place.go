package fixlog

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
)

// stands reports whether the lines of a finding are in its function as they were.
func (e *edit) stands(f *finding.Finding) bool {
	lost := e.lost(f.Function)
	for n := f.Line; n <= max(f.Line, f.EndLine) && n <= len(e.was.lines); n++ {
		if n > 0 && lost[e.was.lines[n-1]] > 0 {
			return false
		}
	}
	return true
}

// headStands reports whether the first line of a finding is in its function as it was: a call that got other arguments.
func (e *edit) headStands(f *finding.Finding) bool {
	return f.Line > 0 && f.Line <= len(e.was.lines) && e.is.functions[f.Function] && e.lost(f.Function)[e.was.lines[f.Line-1]] == 0
}

// lost are the lines that a function has no more, or the file where there is no such function.
func (e *edit) lost(function string) map[string]int {
	if !e.was.functions[function] {
		function = ""
	}
	if !e.was.functions[function] {
		return e.gone
	}
	return surplus(e.was.of[function], e.is.of[function])
}

// elsewhere reports whether the first line of a finding still stands in its function, at another depth than where it was
// taken out: two branches that had it leave it to what comes after them, or one that ended with it does not end there.
// Of two that are equal the finding itself does not say which one went.
func (e *edit) elsewhere(f *finding.Finding) bool {
	if f.Line < 1 || f.Line > len(e.was.lines) || e.was.lines[f.Line-1] == "" {
		return false
	}
	was, is := e.was.depths(f.Function, e.was.lines[f.Line-1]), e.is.depths(f.Function, e.was.lines[f.Line-1])
	for here := range is {
		for there := range was {
			if here != there && was[there] > is[there] {
				return true
			}
		}
	}
	return false
}

// depths counts how far a line of a function is indented, wherever it stands.
func (s *source) depths(function, line string) map[int]int {
	at := map[int]int{}
	for i, l := range s.lines {
		if l == line && s.function[i] == function {
			at[s.depth[i]]++
		}
	}
	return at
}

// body is how far the lines of a function are indented that run whenever it does.
func (s *source) body(function string) int {
	head, body := -1, -1
	for i, l := range s.lines {
		if l == "" || s.function[i] != function {
			continue
		}
		if head < 0 {
			head = s.depth[i]
		}
		if s.depth[i] > head && (body < 0 || s.depth[i] < body) {
			body = s.depth[i]
		}
	}
	return body
}

var target = regexp.MustCompile(`^([A-Za-z_]\w*)=[^=]`)

// ownOutput reports whether a call was given what a finding made to write into, and is given nothing to write into now:
// it makes that itself.
func (e *edit) ownOutput(f *finding.Finding) bool {
	if f.Line < 1 || f.Line > len(e.was.lines) {
		return false
	}
	m := target.FindStringSubmatch(e.was.lines[f.Line-1])
	if m == nil {
		return false
	}
	given := regexp.MustCompile(`(?:^|[(,])out(?:put)?=` + m[1] + `(?:[,)[]|$)`)
	lost := false
	for l := range e.lost(f.Function) {
		lost = lost || given.MatchString(l)
	}
	for _, a := range e.added {
		lost = lost && (a.function != f.Function || !outArgument.MatchString(a.text))
	}
	return lost
}

var outArgument = regexp.MustCompile(`[(,]out(?:put)?=|^out(?:put)?=[^(]*[,)]$`) // an argument, and no assignment

// unseen looks for a call of what an object of another file holds, which a function did not have, or not as often: what
// that allocates its text does not say. What a condition asks allocates nothing.
func (e *edit) unseen(function string) string {
	held := func(s *source) (calls []string) {
		for _, l := range s.of[function] {
			if !condition.MatchString(l) {
				calls = append(calls, heldCall.FindAllString(l, -1)...)
			}
		}
		return calls
	}
	for _, call := range slices.Sorted(maps.Keys(surplus(held(e.is), held(e.was)))) {
		name := strings.TrimSuffix(lastName(call), "(")
		if strings.HasSuffix(name, "_") || views[name] {
			continue // of a tensor: in place, or another look at it
		}
		own := strings.Count(call, ".") == 1 // a method of the same class
		if !own || !slices.ContainsFunc(sortedFunctions(e.is), func(f string) bool { return lastName(f) == name }) {
			return strings.TrimSuffix(call, "(")
		}
	}
	return ""
}

var condition = regexp.MustCompile(`^(?:if|elif|while|assert)\b`)

var views = map[string]bool{"view": true, "view_as": true, "expand": true, "expand_as": true, "narrow": true, "select": true, "unsqueeze": true,
	"squeeze": true, "transpose": true, "permute": true, "size": true, "stride": true, "numel": true, "dim": true}

var heldCall = regexp.MustCompile(`\bself\.[A-Za-z_][\w.]*\(`)

// noMore reports whether a function went away. Of a file that is not Python it is known by its name.
func (e *edit) noMore(function string) bool {
	if e.is.python || function == "" {
		return e.was.functions[function] && !e.is.functions[function]
	}
	name := regexp.MustCompile(`(?:^|\W)` + regexp.QuoteMeta(lastName(function)) + `(?:\W|$)`)
	return slices.ContainsFunc(e.was.lines, name.MatchString) && !slices.ContainsFunc(e.is.lines, name.MatchString)
}
