package readiness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
)

// hazards is section C: what people track, each joined with what is found of its rules now. A hazard that is called
// done and is found again has regressed, whatever the configuration says.
func hazards(in Input) []Block {
	if len(in.Hazards) == 0 {
		return []Block{{Note: "No hazards are listed (`hazards:` in " + config.FileName + ")."}}
	}
	var rows [][]string
	for _, h := range in.Hazards {
		rows = append(rows, []string{h.ID, h.Title, status(h, found(in, h)), h.Fix})
	}
	return []Block{{Head: []string{"#", "Hazard", "Status", "Fix applied"}, Rows: rows}}
}

// found are the violations of a hazard's rules, of the source scan and of the last check, each once.
func found(in Input, h config.Hazard) []finding.Finding {
	all := slices.Clone(in.Now)
	if in.Results != nil {
		for _, f := range in.Results.Findings {
			if f.Check != finding.CheckSource { // the source was scanned anew
				all = append(all, f)
			}
		}
	}
	seen := map[string]bool{}
	var out []finding.Finding
	for i := range all {
		f := &all[i]
		if violation(f) && matches(h, f.Rule) && !seen[f.Fingerprint] {
			seen[f.Fingerprint] = true
			out = append(out, *f)
		}
	}
	finding.Sort(out)
	return out
}

// matches reports whether a rule is one of the hazard's, or of one of its groups (GB3xx).
func matches(h config.Hazard, rule string) bool {
	return slices.ContainsFunc(h.Rules, func(r string) bool {
		return r == rule || strings.HasSuffix(r, "xx") && strings.HasPrefix(rule, strings.TrimSuffix(r, "xx"))
	})
}

func status(h config.Hazard, found []finding.Finding) string {
	where := ""
	for i, f := range found {
		if i == 3 {
			where += ", …"
			break
		}
		if i > 0 {
			where += ", "
		}
		where += fmt.Sprintf("%s:%d", f.Path, f.Line)
	}
	switch {
	case h.Status == "done" && len(found) > 0:
		return fmt.Sprintf("regressed: %s (%s)", plural(len(found), "finding"), where)
	case h.Status == "done" && len(h.Rules) == 0:
		return "done (by hand: no rules are named that could tell)"
	case h.Status == "done":
		return "done"
	}
	text := h.Status
	if text == "" {
		text = "open"
	}
	if h.Phase != "" {
		text += " (phase " + h.Phase + ")"
	}
	if len(found) > 0 {
		text += fmt.Sprintf(": %s (%s)", plural(len(found), "finding"), where)
	}
	return text
}
