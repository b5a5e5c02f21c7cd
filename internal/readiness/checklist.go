package readiness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
)

// maxFixes is how many fixes of one class are listed before the rest is counted.
const maxFixes = 10

// checklist is section B: the violations of each class now and before, and what was done about them.
func checklist(in Input) string {
	var rows [][]string
	var clean []string
	for _, c := range in.Classes {
		now, before := count(in.Now, c, violation), count(in.Before, c, violation)
		allowed := count(in.Now, c, func(f *finding.Finding) bool { return f.Suppressed != nil })
		if now+before+allowed == 0 {
			clean = append(clean, c.Name)
			continue
		}
		rows = append(rows, []string{c.Name, fmt.Sprint(now), fmt.Sprint(before), fmt.Sprint(allowed)})
	}
	var b strings.Builder
	before := "Before"
	if in.BeforeRev != "" {
		before += " (" + short(in.BeforeRev) + ")"
	}
	if len(rows) > 0 {
		b.WriteString(table([]string{"Class", "Now", before, "Allowed"}, rows))
	}
	if len(clean) > 0 {
		if len(rows) > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "None now and none before: %s.\n", cell(strings.Join(clean, ", ")))
	}
	for _, c := range in.Classes {
		b.WriteString(done(c, in.Fixes))
	}
	return b.String()
}

func count(fs []finding.Finding, c Class, counts func(*finding.Finding) bool) int {
	n := 0
	for i := range fs {
		if slices.Contains(c.Rules, fs[i].Rule) && counts(&fs[i]) {
			n++
		}
	}
	return n
}

// done lists the fixes of one class, the newest first.
func done(c Class, fixes []Fix) string {
	var lines []string
	for _, f := range slices.Backward(fixes) {
		if !slices.Contains(c.Rules, f.Rule) {
			continue
		}
		line := "- " + short(f.Commit) + " " + cell(f.Description)
		if f.Regressed {
			line += " (it came back)"
		}
		lines = append(lines, line+"\n")
	}
	if len(lines) == 0 {
		return ""
	}
	more := ""
	if n := len(lines) - maxFixes; n > 0 {
		lines, more = lines[:maxFixes], fmt.Sprintf("- and %d more in the fix log\n", n)
	}
	return "\n" + cell(c.Name) + ":\n\n" + strings.Join(lines, "") + more
}
