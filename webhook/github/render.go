package github

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
)

// Context is what the rendering says besides the results.
type Context struct {
	Head, Base string // commit ids; Base may be empty
	PR         int    // 0 when the commit was not tested for a pull request
	Attempt    int
	Runner     string
}

// Rendered is a check run's face: output and the annotations that fit under MaxAnnotations, most severe first.
type Rendered struct {
	Output      Output
	Annotations []Annotation
}

// Render turns results into what a check run shows. It is a pure function: same results, same bytes.
func Render(r *finding.Results, c Context) Rendered {
	p := sortOut(r.Findings)
	annotations, left := annotate(p)
	return Rendered{
		Output: Output{
			Title:   title(r, p),
			Summary: summary(r, p, c),
			Text:    details(p, left),
		},
		Annotations: annotations,
	}
}

// parts are the findings by what they mean for this commit. Nothing is dropped.
type parts struct {
	gating      []finding.Finding // errors, then warnings
	shown       []finding.Finding // possible ones and infos: shown, never gating
	preexisting []finding.Finding // suppressed because the base or the baseline has them
	allowed     []finding.Finding // suppressed by a comment, the configuration or a guard
}

func sortOut(fs []finding.Finding) parts {
	fs = slices.Clone(fs)
	finding.Sort(fs)
	var p parts
	seen := map[string]bool{}
	for _, f := range fs {
		if f.Fingerprint != "" {
			if seen[f.Fingerprint] {
				continue
			}
			seen[f.Fingerprint] = true
		}
		switch {
		case f.Suppressed != nil && f.Suppressed.By == "baseline":
			p.preexisting = append(p.preexisting, f)
		case f.Suppressed != nil:
			p.allowed = append(p.allowed, f)
		case f.Gates(finding.Warn):
			p.gating = append(p.gating, f)
		default:
			p.shown = append(p.shown, f)
		}
	}
	slices.SortStableFunc(p.gating, func(a, b finding.Finding) int {
		switch {
		case a.Severity == b.Severity:
			return 0
		case a.Severity.AtLeast(b.Severity):
			return -1
		}
		return 1
	})
	return p
}

// count is how many gating findings have this severity.
func (p parts) count(s finding.Severity) int {
	n := 0
	for i := range p.gating {
		if p.gating[i].Severity == s {
			n++
		}
	}
	return n
}

// title is the one line of the pull request page: what is wrong and where, or what was not looked at.
func title(r *finding.Results, p parts) string {
	var failed, notRun []string
	for _, c := range r.Checks {
		switch c.Status {
		case finding.StatusFail:
			failed = append(failed, c.Name)
		case finding.StatusNotRun:
			notRun = append(notRun, c.Name)
		}
	}
	switch r.Verdict {
	case finding.VerdictFail:
		n, noun := p.count(finding.Error), "capture hazard"
		if n == 0 {
			n, noun = len(p.gating), "warning"
		}
		if n > 0 {
			first := p.gating[0]
			for _, f := range p.gating { // prefer one with a place to go to, of the same severity
				if f.Path != "" && f.Severity == first.Severity {
					first = f
					break
				}
			}
			return fmt.Sprintf("%s: %s %s%s", plural(n, noun), first.Rule, first.Name, place(first))
		}
		if len(failed) > 0 {
			return fmt.Sprintf("%s failed: %s", plural(len(failed), "check"), strings.Join(failed, ", "))
		}
		return "failed: " + strings.Join(r.Reasons, "; ")
	case finding.VerdictPass:
		t := "no capture hazards"
		if n := len(p.preexisting); n > 0 {
			t = fmt.Sprintf("no new capture hazards, %d pre-existing", n)
		}
		if n := p.count(finding.Warn); n > 0 {
			t += ", " + plural(n, "warning")
		}
		if len(notRun) > 0 {
			t += "; not run: " + strings.Join(notRun, ", ")
		}
		return t
	}
	return "no verdict: " + strings.Join(r.Reasons, "; ")
}

func place(f finding.Finding) string {
	if f.Path == "" {
		if f.Region != "" {
			return " in region " + f.Region
		}
		return ""
	}
	return fmt.Sprintf(" in %s:%d", path.Base(f.Path), f.Line)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
