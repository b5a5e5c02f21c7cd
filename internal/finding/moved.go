package finding

import (
	"fmt"
	"slices"
)

// MarkMoved suppresses the findings of head that base had at another place: the same expression for the same rule, in
// a function of the same name elsewhere (a file was renamed, a function moved) or elsewhere in the same file (a
// function was renamed). One that has gone from base accounts for one in head, so that a copy is new. Findings that
// base knows by fingerprint are not looked at; call Baseline.Mark first.
func MarkMoved(base, head []Finding, reason string) {
	here := map[string]bool{}
	for i := range head {
		here[head[i].Fingerprint] = true
	}
	gone := map[string][]*Finding{}
	for i := range base {
		if b := &base[i]; b.Suppressed == nil && b.MoveKey != "" && !here[b.Fingerprint] {
			gone[b.MoveKey] = append(gone[b.MoveKey], b)
		}
	}
	for _, near := range []func(a, b *Finding) bool{
		func(a, b *Finding) bool { return a.Function == b.Function && a.Function != "" },
		func(a, b *Finding) bool { return a.Path == b.Path },
	} {
		for i := range head {
			f := &head[i]
			if f.Suppressed != nil || f.MoveKey == "" {
				continue
			}
			from := slices.IndexFunc(gone[f.MoveKey], func(b *Finding) bool { return near(f, b) })
			if from < 0 {
				continue
			}
			b := gone[f.MoveKey][from]
			gone[f.MoveKey] = slices.Delete(gone[f.MoveKey], from, from+1)
			f.Suppressed = &Suppression{By: "baseline", Reason: fmt.Sprintf("%s, moved from %s:%d", reason, b.Path, b.Line)}
		}
	}
}
