package fixlog

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
)

// has looks for the operation in the lines that an edit added. A line that another function of the file lost was
// moved, and counts only when the function at hand had it.
func (e *edit) has(same kind, function string) string {
	lost := map[string]int{}
	if e.was != nil {
		for name, lines := range e.was.of {
			if name == function || e.is == nil {
				continue
			}
			for l, n := range surplus(lines, e.is.of[name]) {
				lost[l] += n
			}
		}
	}
	for _, a := range e.added {
		if lost[a.text] > 0 {
			lost[a.text]--
			continue
		}
		if once(a.function, e.is.python) && a.function != function {
			continue
		}
		if same.in(a.text) {
			return fmt.Sprintf("%s in %s", a.text[:min(len(a.text), 80)], cmp.Or(a.function, path.Base(e.is.path)))
		}
	}
	return ""
}

// renamed looks for a line that differs from that of a finding only in what is called: the same arguments, the same
// target. A call that another one took the place of does perhaps the same under its new name.
func (e *edit) renamed(f *finding.Finding) string {
	head := bare(callHead(strings.TrimSpace(code(f))), e.was.python)
	if head == "" || f.Line < 1 || f.Line > len(e.was.lines) {
		return ""
	}
	line := e.was.lines[f.Line-1]
	before, after, ok := strings.Cut(line, head)
	if !ok || before != "" && strings.HasPrefix(after, ")") {
		return "" // without arguments another method is another thing
	}
	for _, a := range e.added {
		middle, ok := strings.CutPrefix(a.text, before)
		if middle, end := strings.CutSuffix(middle, after); ok && end && a.function == e.was.function[f.Line-1] && dotted.MatchString(middle) &&
			!strings.HasPrefix(head, middle) { // else a call at its end was taken off
			return a.text
		}
	}
	return ""
}

var dotted = regexp.MustCompile(`^[A-Za-z_][\w.]*\($`)

// alias looks for a new name for the operation that the function calls: `new = torch.empty`, `import empty as new`.
func (e *edit) alias(same kind, function string) string {
	for _, name := range newCalls(function, e) {
		imported := regexp.MustCompile(`(\w+) as ` + name + `\b`) // a name is a word: nothing to quote
		for _, a := range e.added {
			m := imported.FindStringSubmatch(a.text)
			if strings.HasPrefix(a.text, name+"=") && same.in(a.text) || m != nil && same.in("."+m[1]) {
				return a.text
			}
		}
	}
	return ""
}
