package finding

import (
	"cmp"
	"fmt"
	"slices"
)

// moved is a finding that is not where it was.
type moved struct {
	key, path, function string
	at                  string // the place in words
	id                  string // orders equals, so that the outcome does not depend on chance
}

// MarkMoved suppresses the findings of head that base had at another place: the same expression for the same rule, in
// a function of the same name elsewhere (a file was renamed, a function moved) or elsewhere in the same file (a
// function was renamed). One that has gone from base accounts for one in head, so that a copy is new. Findings that
// base knows by fingerprint are left alone: Baseline.MarkSame is for those, and comes first.
func MarkMoved(base, head []Finding, reason string) {
	here := map[string]bool{}
	for i := range head {
		here[head[i].Fingerprint] = true
	}
	var gone []moved
	for i := range base {
		if b := &base[i]; b.Suppressed == nil && !here[b.Fingerprint] {
			gone = append(gone, moved{key: b.MoveKey, path: b.Path, function: b.Function, at: fmt.Sprintf("%s:%d", b.Path, b.Line), id: b.Fingerprint})
		}
	}
	markMoved(gone, head, reason)
}

// markMoved returns how many were found again.
func markMoved(from []moved, head []Finding, reason string) (found int) {
	gone := map[string][]moved{}
	slices.SortStableFunc(from, func(a, b moved) int { return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.id, b.id)) })
	for _, m := range from {
		if m.key != "" {
			gone[m.key] = append(gone[m.key], m)
		}
	}
	for _, near := range []func(f *Finding, m moved) bool{
		func(f *Finding, m moved) bool { return f.Function == m.function && f.Function != "" },
		func(f *Finding, m moved) bool { return f.Path == m.path },
	} {
		for i := range head {
			f := &head[i]
			if f.Suppressed != nil || f.MoveKey == "" {
				continue
			}
			n := slices.IndexFunc(gone[f.MoveKey], func(m moved) bool { return near(f, m) })
			if n < 0 {
				continue
			}
			m := gone[f.MoveKey][n]
			gone[f.MoveKey] = slices.Delete(gone[f.MoveKey], n, n+1)
			f.Suppressed = &Suppression{By: "baseline", Reason: fmt.Sprintf("%s, moved from %s", reason, m.at)}
			found++
		}
	}
	return found
}
