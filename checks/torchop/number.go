package torchop

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// numbers.tsv says of the operations of torch which arguments are host numbers in every overload: sizes, dimensions, factors.
// Given a 0-d tensor there torch reads it, as if .item() were written. It is written by tools/torch-numbers.py from the
// schemas of torch; the other tables are by hand and win.
//
//go:embed numbers.tsv
var numberFile string

var numbers, _ = parseNumbers(numberFile)

// Number are the arguments of an operation that are host numbers.
type Number struct {
	positions string // of what is written in the call, so without the receiver of a method: n is a number
	spread    bool   // the last of them may be written as many arguments: x.permute(0, 1)
	keywords  []string
}

// Numbers returns the host numbers among the arguments of an operation, or false when it has none.
func Numbers(name string) (Number, bool) {
	n, ok := numbers[name]
	return n, ok
}

// WithNumbersOr returns the names of the operations that take host numbers, and of those of the family, sorted.
func WithNumbersOr(family string) []string {
	out := slices.AppendSeq(Family(family), maps.Keys(numbers))
	slices.Sort(out)
	return slices.Compact(out)
}

// At reports whether the positional argument i, counted from 0 and without the receiver, is a host number.
func (n Number) At(i int) bool {
	if i >= len(n.positions) {
		return n.spread
	}
	return n.positions[i] == 'n'
}

// Named reports whether the keyword argument is a host number.
func (n Number) Named(keyword string) bool { return slices.Contains(n.keywords, keyword) }

func parseNumbers(text string) (map[string]Number, error) {
	out := map[string]Number{}
	line := 0
	for row := range strings.Lines(text) {
		line++
		row = strings.TrimRight(row, "\n")
		if row == "" || row[0] == '#' {
			continue
		}
		f := strings.Split(row, "\t")
		if len(f) != 3 || strings.Trim(f[1], "n-*") != "" {
			return out, fmt.Errorf("numbers.tsv:%d: %q is no name, positions, keywords", line, row)
		}
		if _, ok := out[f[0]]; ok {
			return out, fmt.Errorf("numbers.tsv:%d: %s is there twice", line, f[0])
		}
		positions, spread := strings.CutSuffix(f[1], "*")
		out[f[0]] = Number{positions: positions, spread: spread, keywords: split(f[2], " ")}
	}
	return out, nil
}
