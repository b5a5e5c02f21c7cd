package demo

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// printer writes the steps as they happen. A failed write is not an error of the demo: nobody is looking.
type printer struct {
	out   io.Writer
	color bool
	start time.Time
}

const (
	bold  = "1"
	dim   = "2"
	red   = "31"
	green = "32"
	cyan  = "36"
)

func (p *printer) paint(code, text string) string {
	if !p.color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// step is one line: time since the start, a word, and what happened.
func (p *printer) step(word, format string, args ...any) {
	p.line("%s  %s %s", p.paint(dim, fmt.Sprintf("%6.2fs", time.Since(p.start).Seconds())),
		p.paint(cyan, fmt.Sprintf("%-8s", word)), fmt.Sprintf(format, args...))
}

// good and bad are steps whose outcome matters.
func (p *printer) good(word, format string, args ...any) {
	p.step(word, "%s %s", p.paint(green, "✓"), fmt.Sprintf(format, args...))
}

func (p *printer) bad(word, format string, args ...any) {
	p.step(word, "%s %s", p.paint(red, "✗"), fmt.Sprintf(format, args...))
}

// margin is as wide as the columns of step.
const margin = "                   "

// under is text that belongs to the step above.
func (p *printer) under(text string) {
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		p.line("%s%s", margin, strings.TrimRight(line, "\n"))
	}
}

func (p *printer) line(format string, args ...any) {
	_, _ = fmt.Fprintln(p.out, strings.TrimRight(fmt.Sprintf(format, args...), " "))
}
