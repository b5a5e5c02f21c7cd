package fixlog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
)

// change is what lies between a commit and its first parent, as far as findings care.
type change struct {
	renamed map[string]string // old path to new path
	deleted map[string]bool
	touched map[string]bool // old and new paths with another content
	config  bool            // the gate configuration changed
}

// violations are the findings that count for the log: not suppressed, more than a guess, at least a warning.
func violations(fs []finding.Finding) []*finding.Finding {
	var out []*finding.Finding
	for i := range fs {
		if fs[i].Gates(finding.Warn) {
			out = append(out, &fs[i])
		}
	}
	return out
}

// moveKey is the finding's own, or what stands for it while a scanner gives none: rule and source text.
func moveKey(f *finding.Finding) string {
	if f.MoveKey != "" {
		return f.MoveKey
	}
	return f.Rule + "\x00" + strings.Join(strings.Fields(code(f)), " ")
}

// code is the source text of the offending expression, when the finding carries it.
func code(f *finding.Finding) string {
	for _, e := range f.Evidence {
		if e.Kind == finding.EvidenceSource && e.Code != "" {
			return e.Code
		}
	}
	return ""
}

// disappeared splits the violations of the parent that the commit no longer has into fixes and deletions. What is
// still there under another fingerprint is neither:
//
//   - moved: a new finding elsewhere has the same rule and tokens;
//   - rewritten: a new finding in the same function is of the same group of rules (`.item()` became `.tolist()`);
//   - suppressed or judged less severe: the finding is there, it only does not count;
//   - out of sight: the file did not change, so that the hazard is where it was. The configuration hides it, or what is
//     inferred from another file.
//
// Fresh is what the commit has and its parent did not, as far as it accounts for none of these.
func disappeared(before, after []finding.Finding, c change) (fixed, removed, fresh []*finding.Finding) {
	had := map[string]bool{}
	for i := range before {
		had[before[i].Fingerprint] = true
	}
	has := map[string]bool{}
	for i := range after {
		has[after[i].Fingerprint] = true
		if !had[after[i].Fingerprint] {
			fresh = append(fresh, &after[i])
		}
	}
	var gone []*finding.Finding
	for _, f := range violations(before) {
		if !has[f.Fingerprint] {
			gone = append(gone, f)
		}
	}
	here := func(f *finding.Finding) string { return cmp.Or(c.renamed[f.Path], f.Path) }
	// The closest match first, so that two equal findings of which one moved leave the right one over.
	for _, same := range []func(old, now *finding.Finding) bool{
		func(old, now *finding.Finding) bool {
			return moveKey(old) == moveKey(now) && here(old) == now.Path && old.Function == now.Function
		},
		func(old, now *finding.Finding) bool { return moveKey(old) == moveKey(now) && here(old) == now.Path },
		func(old, now *finding.Finding) bool { return moveKey(old) == moveKey(now) },
		func(old, now *finding.Finding) bool {
			return group(old.Rule) == group(now.Rule) && here(old) == now.Path && old.Function == now.Function
		},
	} {
		gone, fresh = unmatched(gone, fresh, same)
	}
	for _, f := range gone {
		switch {
		case c.deleted[f.Path]:
			removed = append(removed, f)
		case !c.touched[f.Path] && measuredOnly(f): // a run has shown that it is gone
			fixed = append(fixed, f)
		case !c.touched[f.Path]:
		default:
			fixed = append(fixed, f)
		}
	}
	return fixed, removed, fresh
}

// measuredOnly reports whether a run of the step gave the finding, and not the scan.
func measuredOnly(f *finding.Finding) bool { return f.Check != "" && f.Check != finding.CheckSource }

// group is the group of a rule: GB1 of GB101.
func group(rule string) string { return rule[:min(len(rule), 3)] }

// unmatched pairs each old finding with at most one new one and returns what is left of both.
func unmatched(old, now []*finding.Finding, same func(old, now *finding.Finding) bool) (o, n []*finding.Finding) {
	n = slices.Clone(now)
	for _, f := range old {
		i := slices.IndexFunc(n, func(g *finding.Finding) bool { return same(f, g) })
		if i < 0 {
			o = append(o, f)
			continue
		}
		n = slices.Delete(n, i, i+1)
	}
	return o, n
}

// appeared are the violations of the commit that its parent does not have.
func appeared(before, after []finding.Finding) []*finding.Finding {
	had := map[string]bool{}
	for _, f := range violations(before) {
		had[f.Fingerprint] = true
	}
	var out []*finding.Finding
	for _, f := range violations(after) {
		if !had[f.Fingerprint] {
			out = append(out, f)
		}
	}
	return out
}
