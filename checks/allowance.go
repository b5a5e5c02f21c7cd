package checks

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Allowances are what the comments of one Python file allow, for findings that were not made by the source scan.
type Allowances struct {
	marks   []mark
	allowed []lines
	now     time.Time
}

// ReadAllowances reads the comments of a file. A file that does not parse allows nothing.
func ReadAllowances(ctx context.Context, path string, src []byte, now time.Time) *Allowances {
	a := &Allowances{now: now}
	if now.IsZero() {
		a.now = time.Now()
	}
	tree, err := pyast.Parse(ctx, path, src, pyast.DefaultLimits)
	if err != nil {
		return a // the source scan has said so (GB002)
	}
	a.marks, a.allowed = suppressionMarks(tree), allowedSpans(tree)
	return a
}

// Of gives what allows a rule on a line, nil when nothing does, and the line of the comment that does, 0 when it is none.
func (a *Allowances) Of(rule string, line int) (s *finding.Suppression, comment int) {
	for i := range a.marks {
		m := &a.marks[i]
		if m.covers(rule, line, line) && m.bad == "" && !m.expired(a.now) {
			return &finding.Suppression{By: "inline", Reason: m.reason}, m.line
		}
	}
	for _, l := range a.allowed {
		if line >= l.from && line <= l.to {
			return &finding.Suppression{By: "inline", Reason: "inside gpu_sync_allowed()"}, 0
		}
	}
	return nil, 0
}

// IsIdle reports whether a finding says of a comment that its allowance of a rule suppresses nothing.
func IsIdle(f *finding.Finding, rule string) bool {
	return f.Rule == "GB001" && strings.HasPrefix(f.Message, idle(rule))
}

// idle begins the message about an allowance that suppresses nothing.
func idle(rule string) string { return fmt.Sprintf("allow[%s] suppresses nothing", rule) }
