package github

import (
	"fmt"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
)

// details is the long Markdown: what the summary had no room for, what was suppressed and why.
func details(p parts, left int) string {
	var b strings.Builder
	if left > 0 {
		fmt.Fprintf(&b, "%s not annotated: a run carries at most %d annotations.\n\n", plural(left, "finding"), MaxAnnotations)
	}
	if len(p.gating) > maxRows {
		list(&b, "More findings", p.gating[maxRows:])
	}
	list(&b, "Shown, not gating", p.shown)
	list(&b, "Pre-existing", p.preexisting)
	if len(p.allowed) > 0 {
		b.WriteString("### Suppressed\n\n| Rule | Where | By | Reason |\n|---|---|---|---|\n")
		for _, f := range p.allowed {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", cell(f.Rule+" "+f.Name), where(f), cell(f.Suppressed.By),
				cell(oneLine(f.Suppressed.Reason, 200)))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func list(b *strings.Builder, heading string, fs []finding.Finding) {
	if len(fs) == 0 {
		return
	}
	fmt.Fprintf(b, "### %s\n\n| | Rule | Where | What |\n|---|---|---|---|\n", heading)
	for _, f := range fs {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", cell(string(f.Severity)), cell(f.Rule+" "+f.Name), where(f),
			prose(oneLine(f.Message, 200)))
	}
	b.WriteString("\n")
}
