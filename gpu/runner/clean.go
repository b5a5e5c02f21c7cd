package runner

import (
	"regexp"
	"strings"
	"unicode"
)

// escapes are terminal control sequences: color, cursor movement, titles, links.
var escapes = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|.)`)

// clean makes output of strangers fit for a web page and a terminal: valid UTF-8, no control characters.
func clean(b []byte) string {
	s := escapes.ReplaceAllString(strings.ToValidUTF8(string(b), "\ufffd"), "")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return '\n' // progress bars
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r): // Cf: text that runs backwards, and invisible text
			return -1
		}
		return r
	}, s)
}

// lastWords is the last line of the output as an appendix to a reason, or nothing.
func lastWords(tail string) string {
	lines := strings.Split(strings.TrimSpace(tail), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if last == "" {
		return ""
	}
	if r := []rune(last); len(r) > 300 {
		last = string(r[:300]) + "…"
	}
	return "; last output: " + last
}
