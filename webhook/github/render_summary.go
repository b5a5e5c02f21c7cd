package github

import (
	"fmt"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
)

// maxRows bounds the findings table of the summary; the rest is in the details, and all of it in the results file.
const maxRows = 50

// summary is the Markdown under the title: verdict, checks, findings, how to see it again at home.
func summary(r *finding.Results, p parts, c Context) string {
	var b strings.Builder
	for _, reason := range r.Reasons {
		fmt.Fprintf(&b, "- %s\n", text(reason))
	}
	if len(r.Reasons) > 0 {
		b.WriteString("\n")
	}
	checkTable(&b, r.Checks)
	findingTable(&b, p)
	counts(&b, r, p)
	reproduce(&b, r, c)
	return b.String()
}

// checkTable lists every check with what came of it. One that did not run says why: it has not passed.
func checkTable(b *strings.Builder, checks []finding.CheckResult) {
	if len(checks) == 0 {
		b.WriteString("No check ran.\n\n")
		return
	}
	b.WriteString("| Check | Status | Required | Time | Reason |\n|---|---|---|---:|---|\n")
	for i := 0; i < len(checks); {
		c := checks[i]
		names := cell(c.Name)
		// Seven checks that did not run for one reason are one row.
		for i++; i < len(checks) && sameRow(c, checks[i]); i++ {
			names += ", " + cell(checks[i].Name)
		}
		required := "no"
		if c.Required {
			required = "yes"
		}
		took := "–"
		if c.Status != finding.StatusNotRun {
			took = fmt.Sprintf("%d ms", c.DurationMS)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", names, status(c.Status), required, took, cell(reason(c)))
	}
	b.WriteString("\n")
}

func sameRow(a, b finding.CheckResult) bool {
	return a.Status == finding.StatusNotRun && b.Status == a.Status && a.Reason == b.Reason && a.Required == b.Required &&
		len(a.Regions)+len(b.Regions) == 0
}

func status(s finding.Status) string {
	switch s {
	case finding.StatusPass:
		return "pass"
	case finding.StatusFail:
		return "**fail**"
	case finding.StatusError:
		return "**error**"
	case finding.StatusNotRun:
		return "not run"
	}
	return cell(string(s))
}

// reason adds the regions that did not pass, which are usually what one wants to know.
func reason(c finding.CheckResult) string {
	parts := []string{}
	if c.Reason != "" {
		parts = append(parts, c.Reason)
	}
	more := 0
	for _, region := range c.Regions {
		if region.Status == finding.StatusPass {
			continue
		}
		if len(parts) > 5 {
			more++
			continue
		}
		s := region.Name + ": " + string(region.Status)
		if region.Reason != "" {
			s += " (" + region.Reason + ")"
		}
		parts = append(parts, s)
	}
	if more > 0 {
		parts = append(parts, plural(more, "more region"))
	}
	return strings.Join(parts, "; ")
}

func findingTable(b *strings.Builder, p parts) {
	if len(p.gating) == 0 {
		return
	}
	b.WriteString("### Findings\n\n| | Rule | Where | Function | What |\n|---|---|---|---|---|\n")
	for i, f := range p.gating {
		if i == maxRows {
			fmt.Fprintf(b, "\n%s in the details below.\n", plural(len(p.gating)-maxRows, "more finding"))
			break
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", cell(string(f.Severity)), cell(f.Rule+" "+f.Name), where(f),
			code(f.Function), prose(oneLine(f.Message, 300)))
	}
	b.WriteString("\n")
}

func where(f finding.Finding) string {
	switch {
	case f.Path != "" && f.Line < 1: // native code has no lines here
		return code(f.Path)
	case f.Path != "":
		return code(fmt.Sprintf("%s:%d", f.Path, f.Line))
	case f.Region != "":
		return "region " + code(f.Region)
	}
	return "–"
}

func counts(b *strings.Builder, r *finding.Results, p parts) {
	fmt.Fprintf(b, "%s, %s, %d shown only, %d pre-existing, %d suppressed.", plural(p.count(finding.Error), "error"),
		plural(p.count(finding.Warn), "warning"), len(p.shown), len(p.preexisting), len(p.allowed))
	if s := r.Summary; s.Files > 0 {
		fmt.Fprintf(b, " Read %s with %s, %d of them on the hot path.", plural(s.Files, "file"),
			plural(s.Functions, "function"), s.HotFunctions)
	}
	b.WriteString("\n\n")
}

// reproduce gives the commands that show the same at home. Commit ids are hexadecimal, so they need no quoting.
func reproduce(b *strings.Builder, r *finding.Results, c Context) {
	b.WriteString("### Reproduce\n\n```\n")
	if c.PR > 0 {
		fmt.Fprintf(b, "git fetch origin pull/%d/head\n", c.PR)
	}
	fmt.Fprintf(b, "gatebot scan --rev %s\n", c.Head)
	if c.Base != "" {
		fmt.Fprintf(b, "gatebot scan --range %s..%s    # only what is new\n", c.Base, c.Head)
	}
	if r.Device != nil {
		fmt.Fprintf(b, "gatebot check --rev %s    # on a GPU host\n", c.Head)
	}
	b.WriteString("```\n\n")
	tool := r.Tool.Name
	if tool == "" {
		tool = "gatebot"
	}
	fmt.Fprintf(b, "<sub>%s %s · commit %s · configuration %s", text(tool), text(r.Tool.Version), code(short(c.Head)),
		code(short(r.ConfigHash)))
	if r.Device != nil {
		fmt.Fprintf(b, " · %s (driver %s)", text(r.Device.Name), text(r.Device.Driver))
	}
	if c.Runner != "" {
		fmt.Fprintf(b, " · runner %s", text(c.Runner))
	}
	if c.Attempt > 1 {
		fmt.Fprintf(b, " · attempt %d", c.Attempt)
	}
	b.WriteString("</sub>\n")
}

func short(id string) string { return id[:min(12, len(id))] }
