package readiness

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// marker is the line that begins or ends a section; the one of section B carries the commit that it compares with.
var marker = regexp.MustCompile(`^\s*<!-- gatebot:readiness:([a-z]):(begin|end)(?: before=([0-9a-f]{7,64}))? -->\s*$`)

func begin(key, before string) string {
	if before != "" {
		before = " before=" + before
	}
	return fmt.Sprintf("<!-- gatebot:readiness:%s:begin%s -->", key, before)
}

func end(key string) string { return fmt.Sprintf("<!-- gatebot:readiness:%s:end -->", key) }

// span is where a section lies: the lines of its two markers.
type span struct {
	begin, end int
	before     string
}

// find reads the markers of a document. A marker without its partner is an error: where the section ends is not for
// the program to guess.
func find(lines []string) (map[string]span, error) {
	spans := map[string]span{}
	open := ""
	for i, l := range lines {
		m := marker.FindStringSubmatch(strings.TrimRight(l, "\r\n"))
		if m == nil {
			continue
		}
		key := m[1]
		if !slices.ContainsFunc(sections, func(s section) bool { return s.key == key }) {
			return nil, fmt.Errorf("line %d: there is no section %q (there are a, b, c, d)", i+1, key)
		}
		_, seen := spans[key]
		switch {
		case m[2] == "begin" && (open != "" || seen):
			return nil, fmt.Errorf("line %d: section %s begins inside another or again (keep one pair of markers)", i+1, key)
		case m[2] == "begin":
			open = key
			spans[key] = span{begin: i, before: m[3]}
		case open != key:
			return nil, fmt.Errorf("line %d: section %s ends and has no begin before it", i+1, key)
		default:
			s := spans[key]
			s.end, open = i, ""
			spans[key] = s
		}
	}
	if open != "" {
		return nil, fmt.Errorf("line %d: section %s begins and does not end", spans[open].begin+1, open)
	}
	return spans, nil
}

// Baseline is the commit that section B of a document compares with, or empty.
func Baseline(doc []byte) (string, error) {
	spans, err := find(strings.SplitAfter(string(doc), "\n"))
	if err != nil {
		return "", fmt.Errorf("readiness document: %w", err)
	}
	return spans["b"].before, nil
}

// Update renders the sections into a document. A section that has no markers goes below its heading ("SECTION A …",
// "## A …"); one without a heading goes before the line that logHeading names (the fix log stays last), else to the
// end. Update of its own result changes nothing.
func Update(doc []byte, in Input, logHeading string) ([]byte, error) {
	lines := strings.SplitAfter(string(doc), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	eol := "\n"
	if len(lines) > 0 && strings.HasSuffix(strings.TrimSuffix(lines[0], "\n"), "\r") {
		eol = "\r\n"
	}
	for _, s := range sections {
		spans, err := find(lines)
		if err != nil {
			return nil, fmt.Errorf("readiness document: %w", err)
		}
		before := ""
		if s.key == "b" {
			before = in.BeforeRev
		}
		block := begin(s.key, before) + "\n" + s.render(in) + end(s.key) + "\n"
		if at, ok := spans[s.key]; ok {
			lines = replace(lines, at.begin, at.end+1, block, eol)
			continue
		}
		lines = add(lines, s, block, logHeading, eol)
	}
	return []byte(strings.Join(lines, "")), nil
}

// replace puts the lines of a text in the place of others. The last line of a document keeps being without a line
// break when it is.
func replace(lines []string, from, to int, text, eol string) []string {
	if to == len(lines) && from < to && !strings.HasSuffix(lines[to-1], "\n") {
		text = strings.TrimSuffix(text, "\n")
	}
	if from > 0 && !strings.HasSuffix(lines[from-1], "\n") {
		lines[from-1] += eol
	}
	block := strings.SplitAfter(strings.ReplaceAll(text, "\n", eol), "\n")
	block = slices.DeleteFunc(block, func(l string) bool { return l == "" })
	return slices.Replace(lines, from, to, block...)
}

// add puts a section where it is missing.
func add(lines []string, s section, block, logHeading, eol string) []string {
	heading := regexp.MustCompile(`(?i)^(?:#{1,6}\s+(?:section\s+)?|section\s+)` + s.key + `(?:\s*[—–:.-]|\s*$)`)
	if at := outsideCode(lines, heading.MatchString); at >= 0 {
		text := "\n" + block
		if at+1 < len(lines) && strings.TrimSpace(lines[at+1]) != "" {
			text += "\n"
		}
		return replace(lines, at+1, at+1, text, eol)
	}
	text := "## " + strings.ToUpper(s.key) + ". " + s.title + "\n\n" + block
	at := outsideCode(lines, func(l string) bool {
		return logHeading != "" && strings.EqualFold(strings.Trim(strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(l), "#")), "*"), logHeading)
	})
	if at >= 0 {
		return replace(lines, at, at, text+"\n", eol)
	}
	if len(lines) > 0 {
		text = "\n" + text
	}
	return replace(lines, len(lines), len(lines), text, eol)
}

// outsideCode is the first line that matches and lies in no fenced code, or -1.
func outsideCode(lines []string, match func(string) bool) int {
	fenced := false
	for i, l := range lines {
		t := strings.TrimRight(l, "\r\n")
		if trimmed := strings.TrimSpace(t); strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			fenced = !fenced
		}
		if !fenced && match(t) {
			return i
		}
	}
	return -1
}
