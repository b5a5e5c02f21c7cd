package demo

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// markup is what the summary of a check run uses beyond plain text.
var markup = regexp.MustCompile("</?(?:sub|sup|details|summary|b)>")

// plain makes Markdown readable on a terminal: tables are aligned, headings and cells lose their markup.
func plain(markdown string, width int) []string {
	var out []string
	var table [][]string
	flush := func() {
		out = append(out, align(table, width)...)
		table = nil
	}
	for line := range strings.Lines(markdown) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "|") {
			if strings.Trim(line, "|-: ") != "" {
				table = join(table, cells(line))
			}
			continue
		}
		flush()
		line = strings.TrimLeft(markup.ReplaceAllString(line, ""), "# ")
		if line != "" && !strings.HasPrefix(line, "```") {
			out = append(out, cut(line, width))
		}
	}
	flush()
	return out
}

// cells splits a row; a bar that is escaped belongs to its cell.
func cells(row string) []string {
	row = strings.ReplaceAll(strings.Trim(strings.TrimSpace(row), "|"), `\|`, "\x00")
	var out []string
	for cell := range strings.SplitSeq(row, "|") {
		cell = strings.TrimSpace(strings.ReplaceAll(cell, "\x00", "|"))
		out = append(out, strings.ReplaceAll(strings.Trim(cell, "*"), "\\`", "`"))
	}
	return out
}

// join adds a row. Rows that differ in their first cell only become one: seven checks may not have run for one reason.
func join(table [][]string, row []string) [][]string {
	if n := len(table); n > 1 && len(row) > 1 && slices.Equal(table[n-1][1:], row[1:]) {
		table[n-1][0] += ", " + row[0]
		return table
	}
	return append(table, row)
}

// align pads the cells of a table to columns.
func align(table [][]string, width int) []string {
	var widths []int
	for _, row := range table {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var out []string
	for _, row := range table {
		var b strings.Builder
		for i, cell := range row {
			if widths[i] == 0 {
				continue
			}
			b.WriteString(cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
		}
		out = append(out, cut(strings.TrimRight(b.String(), " "), width))
	}
	return out
}

// cut shortens a line to width characters.
func cut(line string, width int) string {
	if utf8.RuneCountInString(line) <= width {
		return line
	}
	return string([]rune(line)[:width-1]) + "…"
}
