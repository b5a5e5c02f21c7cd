package checks

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/gatebot/gatebot/internal/pyast"
)

// mark is a comment that allows findings on a line.
type mark struct {
	line   int // of the comment
	target int // the line it speaks of
	column int
	ids    []string // empty means any rule (gpu-sync-ok)
	reason string
	until  time.Time
	bad    string // what is wrong with it
	vllm   bool
}

var (
	allowComment = regexp.MustCompile(`^gatebot:\s*allow\b\s*(?:\[([^\]]*)\])?\s*:?\s*(.*)$`)
	untilWord    = regexp.MustCompile(`\buntil=(\S*)\s*`)
	ruleID       = regexp.MustCompile(`^GB\d{3}$`)
)

// suppressionMarks reads the comments of a file. The grammar is `# gatebot: allow[GB101,GB103] reason until=2026-01-31`
// and vLLM's `# gpu-sync-ok: reason`.
func suppressionMarks(tree *pyast.Module) []mark {
	var out []mark
	own := map[int]bool{}
	for _, c := range tree.Comments {
		own[int(c.Start.Line)] = c.Own
	}
	for _, c := range tree.Comments {
		m, ok := parseMark(c.Text)
		if !ok {
			continue
		}
		m.line, m.column, m.target = int(c.Start.Line), int(c.Start.Col), int(c.Start.Line)
		if c.Own {
			m.target = nextCode(tree, m.line, own)
		}
		out = append(out, m)
	}
	return out
}

// nextCode is the first line below that holds code.
func nextCode(tree *pyast.Module, line int, own map[int]bool) int {
	lines := strings.Split(string(tree.Source), "\n")
	for l := line + 1; l <= len(lines); l++ {
		if strings.TrimSpace(lines[l-1]) != "" && !own[l] {
			return l
		}
	}
	return line
}

func parseMark(text string) (mark, bool) {
	if rest, ok := strings.CutPrefix(text, "gpu-sync-ok"); ok {
		m := mark{vllm: true, reason: strings.TrimSpace(strings.TrimLeft(rest, ": "))}
		if m.reason == "" {
			m.bad = "gpu-sync-ok without a reason (write `# gpu-sync-ok: why`)"
		}
		return m, true
	}
	g := allowComment.FindStringSubmatch(text)
	if g == nil {
		if strings.HasPrefix(text, "gatebot:") {
			return mark{bad: fmt.Sprintf("%q is no directive of gatebot (write `# gatebot: allow[GB101] why`)", text)}, true
		}
		return mark{}, false
	}
	m := mark{reason: g[2]}
	for _, id := range strings.Split(g[1], ",") {
		if id = strings.TrimSpace(id); id != "" {
			m.ids = append(m.ids, id)
		}
	}
	if u := untilWord.FindStringSubmatch(m.reason); u != nil {
		when, err := time.Parse(time.DateOnly, u[1])
		if err != nil {
			m.bad = fmt.Sprintf("until=%s is no date (write until=YYYY-MM-DD)", u[1])
		}
		m.until = when
		m.reason = strings.TrimSpace(untilWord.ReplaceAllString(m.reason, ""))
	}
	m.reason = strings.Trim(m.reason, "-– \t\"")
	m.reason = strings.TrimPrefix(m.reason, "reason=\"")
	switch {
	case m.bad != "":
	case len(m.ids) == 0:
		m.bad = "allow names no rule (write `# gatebot: allow[GB101] why`)"
	case m.reason == "":
		m.bad = "allow gives no reason (write why after the bracket)"
	}
	return m, true
}

// check finds what is wrong with a mark that only the set of rules and the date can tell.
func (m *mark) check(known func(id string) bool, now time.Time) string {
	if m.bad != "" {
		return m.bad
	}
	for _, id := range m.ids {
		if !ruleID.MatchString(id) || !known(id) {
			return fmt.Sprintf("allow names %s, which is no rule (see `gatebot rules`)", id)
		}
	}
	if m.expired(now) {
		return fmt.Sprintf("the allowance expired on %s (fix the line, or renew it with a reason)", m.until.Format(time.DateOnly))
	}
	return ""
}

func (m *mark) expired(now time.Time) bool {
	return !m.until.IsZero() && now.After(m.until.AddDate(0, 0, 1))
}

// covers reports whether the mark speaks of a finding of that rule on those lines.
func (m *mark) covers(rule string, from, to int) bool {
	if m.target < from || m.target > to {
		return false
	}
	if len(m.ids) == 0 {
		return m.vllm
	}
	for _, id := range m.ids {
		if id == rule {
			return true
		}
	}
	return false
}

// allowedSpans finds the bodies of `with gpu_sync_allowed():`.
func allowedSpans(tree *pyast.Module) []lines {
	if !strings.Contains(string(tree.Source), "gpu_sync_allowed") {
		return nil
	}
	var out []lines
	walkStmts(tree.Body, func(n pyast.Node) bool {
		w, ok := n.(*pyast.With)
		if !ok {
			_, expr := n.(pyast.Expr)
			return !expr
		}
		for _, it := range w.Items {
			if call, ok := it.X.(*pyast.Call); ok {
				if d, ok := dotted(call.Func); ok && last(d) == "gpu_sync_allowed" {
					out = append(out, lines{int(w.Start.Line), int(w.End.Line)})
				}
			}
		}
		return true
	})
	return out
}
