package gate

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/finding"
)

// allow lets comments of the source suppress what the checks on the device found at lines where the scan found nothing,
// and drops the scan's remarks about those comments.
func allow(ctx context.Context, source []finding.Finding, results []*dynamic.Result, read func(string) ([]byte, error)) []finding.Finding {
	files := map[string]*checks.Allowances{}
	for _, r := range results {
		for i := range r.Findings {
			f := &r.Findings[i]
			if !strings.HasSuffix(f.Path, ".py") || f.Suppressed != nil {
				continue
			}
			a := files[f.Path]
			if a == nil {
				data, err := read(f.Path)
				if err != nil {
					continue // a file of a library: its comments allow nothing here
				}
				a = checks.ReadAllowances(ctx, f.Path, data, time.Time{})
				files[f.Path] = a
			}
			s, comment := a.Of(f.Rule, f.Line)
			if s == nil {
				continue
			}
			f.Suppressed = s
			source = slices.DeleteFunc(source, func(g finding.Finding) bool {
				return g.Path == f.Path && g.Line == comment && checks.IsIdle(&g, f.Rule)
			})
		}
	}
	return source
}
