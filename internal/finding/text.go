package finding

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text renders findings for people, with a code frame each. The zero value prints plain text without frames.
type Text struct {
	Color bool
	// Read returns a file of the scanned tree; frames are left out where it is nil or fails.
	Read func(path string) ([]byte, error)
	// All also prints what does not gate: suppressed findings, possible ones and infos.
	All bool
}

// Write prints the findings that All asks for and a closing summary of every one.
func (t Text) Write(w io.Writer, r *Results) error {
	var b bytes.Buffer
	files := map[string][]string{}
	hidden := map[string]int{}
	for i := range r.Findings {
		f := &r.Findings[i]
		if why := quiet(f); why != "" && !t.All {
			hidden[why]++
			continue
		}
		t.finding(&b, f, t.lines(files, f.Path))
	}
	t.summary(&b, r, hidden)
	_, err := w.Write(b.Bytes())
	return err
}

// quiet says why a finding is not shown by default, or nothing.
func quiet(f *Finding) string {
	switch {
	case f.Suppressed != nil && f.Suppressed.By == "baseline":
		return "known"
	case f.Suppressed != nil:
		return "suppressed"
	case f.Severity == Info:
		return "info"
	case f.Confidence == Possible:
		return "possible"
	}
	return ""
}

func (t Text) lines(files map[string][]string, path string) []string {
	if t.Read == nil {
		return nil
	}
	if ls, ok := files[path]; ok {
		return ls
	}
	var ls []string
	if data, err := t.Read(path); err == nil {
		ls = strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	}
	files[path] = ls
	return ls
}

func (t Text) finding(b *bytes.Buffer, f *Finding, lines []string) {
	fmt.Fprintf(b, "%s  %s  %s %s", f.Place(),
		t.paint(severityColor(f.Severity), string(f.Severity)), t.paint(bold, f.Rule), f.Name)
	if f.Confidence != "" && f.Confidence != Likely {
		fmt.Fprintf(b, " (%s)", f.Confidence)
	}
	if f.Suppressed != nil {
		fmt.Fprintf(b, " [%s: %s]", f.Suppressed.By, f.Suppressed.Reason)
	}
	b.WriteByte('\n')
	t.frame(b, f, lines)
	row := func(label, text string) {
		if text != "" {
			fmt.Fprintf(b, "   %s %s\n", t.paint(dim, fmt.Sprintf("%-4s", label)), clean(text))
		}
	}
	row("why", f.Message)
	for _, e := range f.Evidence {
		if e.Kind == EvidenceHotPath {
			row("hot", e.Message)
		}
	}
	for _, e := range f.Evidence {
		if e.Kind == EvidenceNotShown || e.Kind == EvidenceMeasured && e.Path != "" {
			row("gpu", e.Message)
		}
	}
	if c := f.Cost; c != nil {
		row("cost", fmt.Sprintf("%.3g calls a step, the host spends %.3g µs in them", c.Calls, c.Blocked))
	}
	row("fix", f.Fix)
	b.WriteByte('\n')
}

// frame prints the offending line, the one before it, and a row of carets.
func (t Text) frame(b *bytes.Buffer, f *Finding, lines []string) {
	if f.Line < 1 || f.Line > len(lines) {
		return
	}
	width := len(strconv.Itoa(f.Line))
	gutter := func(n string) string { return t.paint(dim, fmt.Sprintf("   %*s |", width, n)) }
	if f.Line > 1 && strings.TrimSpace(lines[f.Line-2]) != "" {
		fmt.Fprintf(b, "%s %s\n", gutter(strconv.Itoa(f.Line-1)), clean(lines[f.Line-2]))
	}
	line := lines[f.Line-1]
	fmt.Fprintf(b, "%s %s\n", gutter(strconv.Itoa(f.Line)), clean(line))
	end := f.EndColumn
	if f.EndLine != f.Line || end <= f.Column {
		end = utf8.RuneCountInString(strings.TrimRight(line, " \t")) + 1
	}
	if f.Column < 1 || f.Column > utf8.RuneCountInString(line)+1 {
		return
	}
	var pad strings.Builder
	for i, r := range []rune(line) {
		if i >= f.Column-1 {
			break
		}
		if r != '\t' {
			r = ' '
		}
		pad.WriteRune(r) // tabs stay tabs, so that the carets stand below the code
	}
	fmt.Fprintf(b, "%s %s%s\n", gutter(""), pad.String(),
		t.paint(severityColor(f.Severity), strings.Repeat("^", max(1, end-f.Column))))
}

func (t Text) summary(b *bytes.Buffer, r *Results, hidden map[string]int) {
	s := r.Summary
	switch {
	case s.Errors+s.Warnings > 0:
		fmt.Fprintf(b, "%s, %s", count(s.Errors, "error"), count(s.Warnings, "warning"))
	case r.Verdict == VerdictError:
		b.WriteString("no hazard was seen, and that shows nothing")
	default:
		fmt.Fprintf(b, "%s no capture hazard", t.paint(green, "ok"))
	}
	scanned := slices.ContainsFunc(r.Checks, func(c CheckResult) bool { return c.Name == CheckSource })
	if scanned || s.Files > 0 { // a recorded run has read no files
		fmt.Fprintf(b, " in %s, %d of %s hot", count(s.Files, "file"), s.HotFunctions, count(s.Functions, "function"))
	}
	var more []string
	for _, k := range []string{"known", "suppressed", "possible", "info"} {
		if hidden[k] > 0 {
			more = append(more, fmt.Sprintf("%d %s", hidden[k], k))
		}
	}
	if len(more) > 0 {
		fmt.Fprintf(b, " (not shown: %s; --all shows them)", strings.Join(more, ", "))
	}
	b.WriteByte('\n')
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// clean keeps control characters of hostile source away from the terminal.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && (r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0) {
			return '\uFFFD'
		}
		return r
	}, s)
}

const (
	bold  = "1"
	dim   = "2"
	red   = "31"
	green = "32"
	amber = "33"
	blue  = "34"
)

func severityColor(s Severity) string {
	switch s {
	case Error:
		return red
	case Warn:
		return amber
	}
	return blue
}

func (t Text) paint(code, s string) string {
	if !t.Color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
