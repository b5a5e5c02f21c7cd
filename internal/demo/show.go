package demo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/webhook/standin"
)

// summaryWidth is how many characters of a line of the summary are shown.
const summaryWidth = 118

// showRun prints a check run as GitHub's page shows it: conclusion and title, summary, then each annotation under the
// code it is about.
func (p *printer) showRun(run standin.CheckRun, read func(path string) (string, error)) error {
	sign, code := "✗", red
	if run.Conclusion == "success" {
		sign, code = "✓", green
	}
	p.under(p.paint(code, sign+" "+run.Name) + " — " + p.paint(bold, run.Title) + p.paint(dim, fmt.Sprintf("  (%s)", run.Conclusion)))
	for _, line := range plain(run.Summary, summaryWidth) {
		p.under(p.paint(dim, "│ ") + line)
	}
	for _, a := range sorted(run.Annotations) {
		text, err := read(a.Path)
		if err != nil {
			return err
		}
		p.under("")
		p.under(fmt.Sprintf("%s %s", p.paint(bold, fmt.Sprintf("%s:%d", a.Path, a.StartLine)), p.paint(dim, a.Level)))
		p.under(p.frame(text, a))
		p.under(p.paint(red, a.Title))
		p.under(p.paint(dim, indent(a.Message)))
	}
	return nil
}

func sorted(as []standin.Annotation) []standin.Annotation {
	as = slices.Clone(as)
	slices.SortStableFunc(as, func(a, b standin.Annotation) int {
		if a.Path != b.Path {
			return strings.Compare(a.Path, b.Path)
		}
		return a.StartLine - b.StartLine
	})
	return as
}

// around is how many lines of code are shown before and after an annotation.
const around = 1

// frame is the code of an annotation with line numbers, its own line marked.
func (p *printer) frame(text string, a standin.Annotation) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var b strings.Builder
	for n := max(1, a.StartLine-around); n <= min(len(lines), a.EndLine+around); n++ {
		mark, code := " ", dim
		if n >= a.StartLine && n <= a.EndLine {
			mark, code = ">", red
		}
		b.WriteString(p.paint(code, fmt.Sprintf("%s%4d │ %s", mark, n, lines[n-1])) + "\n")
	}
	return b.String()
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ")
}

// showDiff prints what a file gains and loses, colored as git does.
func (p *printer) showDiff(diff string) {
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "diff ") || strings.HasPrefix(line, "index ") || strings.HasPrefix(line, "new file"):
			continue
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
			p.under(p.paint(bold, line))
		case strings.HasPrefix(line, "+"):
			p.under(p.paint(green, line))
		case strings.HasPrefix(line, "-"):
			p.under(p.paint(red, line))
		default:
			p.under(p.paint(dim, line))
		}
	}
}
