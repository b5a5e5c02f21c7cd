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
func checklist(in Input) []Block {
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
	var out []Block
	before := "Before"
	if in.BeforeRev != "" {
		before += " (" + short(in.BeforeRev) + ")"
	}
	if len(rows) > 0 {
		out = append(out, Block{Head: []string{"Class", "Now", before, "Allowed"}, Rows: rows})
	}
	if len(clean) > 0 {
		out = append(out, Block{Text: "None now and none before: " + strings.Join(clean, ", ") + "."})
	}
	for _, c := range in.Classes {
		if b := done(c, in.Fixes); b != nil {
			out = append(out, *b)
		}
	}
	return out
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

// done lists the fixes of one class, the newest first, or is nil when there are none.
func done(c Class, fixes []Fix) *Block {
	b := Block{Text: c.Name + ":"}
	for _, f := range slices.Backward(fixes) {
		switch {
		case !slices.Contains(c.Rules, f.Rule):
		case len(b.Fixes) == maxFixes:
			b.More++
		default:
			b.Fixes = append(b.Fixes, f)
		}
	}
	if len(b.Fixes) == 0 {
		return nil
	}
	return &b
}
