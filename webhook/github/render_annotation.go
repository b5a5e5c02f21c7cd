package github

import (
	"fmt"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
)

// annotate makes the annotations, most severe first, and says how many findings did not fit. Findings without a place
// in a file are in the summary only.
func annotate(p parts) (as []Annotation, left int) {
	add := func(fs []finding.Finding, level func(finding.Finding) string) {
		for _, f := range fs {
			switch {
			case f.Path == "" || f.Line < 1:
			case len(as) == MaxAnnotations:
				left++
			default:
				as = append(as, FromFinding(f, level(f)))
			}
		}
	}
	notice := func(finding.Finding) string { return LevelNotice }
	add(p.gating, level)
	add(p.shown, notice)
	add(p.preexisting, notice)
	return as, left
}

// level is failure for errors and warning for warnings.
func level(f finding.Finding) string {
	if f.Severity == finding.Error {
		return LevelFailure
	}
	return LevelWarning
}

// FromFinding is one finding as an annotation: the message says what, why and how to fix it, the raw details how we know.
func FromFinding(f finding.Finding, level string) Annotation {
	a := Annotation{
		Path: f.Path, StartLine: f.Line, EndLine: max(f.EndLine, f.Line), Level: level,
		Title:   strings.TrimSpace(f.Rule + " " + f.Name),
		Message: message(f), RawDetails: evidence(f),
	}
	if a.StartLine == a.EndLine {
		a.StartColumn, a.EndColumn = f.Column, f.EndColumn
	}
	return a
}

func message(f finding.Finding) string {
	var b strings.Builder
	b.WriteString(f.Message)
	var why []string
	switch f.Confidence {
	case finding.Proven:
		why = append(why, "seen on a device")
	case finding.Possible:
		why = append(why, "possible only: where the value lives is unknown")
	}
	if f.Function != "" {
		why = append(why, "in "+f.Function)
	}
	if f.Region != "" {
		why = append(why, "region "+f.Region)
	}
	for _, e := range f.Evidence {
		if e.Kind == finding.EvidenceHotPath {
			// The chain is enough here; the frames with their lines are in the raw details.
			s := e.Message
			if s == "" {
				s = strings.Join(e.Frames, " → ")
			}
			if s != "" {
				why = append(why, "on the hot path: "+s)
			}
		}
	}
	if len(why) > 0 {
		fmt.Fprintf(&b, "\nWhy: %s.", strings.Join(why, "; "))
	}
	if f.Fix != "" {
		fmt.Fprintf(&b, "\nFix: %s", f.Fix)
	}
	if f.Suppressed != nil {
		fmt.Fprintf(&b, "\nNot gating (%s): %s", f.Suppressed.By, f.Suppressed.Reason)
	}
	return b.String()
}

// evidence is the chain of reasons, one per line, in the order they were found.
func evidence(f finding.Finding) string {
	var b strings.Builder
	for _, e := range f.Evidence {
		b.WriteString(e.Kind)
		if e.Path != "" {
			fmt.Fprintf(&b, " %s:%d", e.Path, e.Line)
		}
		if s := evidenceText(e, "\n    "); s != "" {
			b.WriteString(": " + s)
		}
		if e.Code != "" {
			fmt.Fprintf(&b, "\n    %s", strings.ReplaceAll(strings.TrimSpace(e.Code), "\n", "\n    "))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func evidenceText(e finding.Evidence, join string) string {
	parts := e.Frames
	if e.Message != "" {
		parts = append([]string{e.Message}, parts...)
	}
	return strings.Join(parts, join)
}
