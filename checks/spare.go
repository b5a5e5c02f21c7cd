package checks

import (
	"math/bits"

	"github.com/gatebot/gatebot/internal/pyast"
)

// spareValues are tables of values of frames that have ended, by size: a task makes thousands of them, and they were most of
// what it left to the collector.
type spareValues [8][]map[pyast.Expr]*Value

// sizeClass is the list for tables of n values; each holds four times as many as the one before it.
func sizeClass(n int) int { return min(bits.Len(uint(n))/2, len(spareValues{})-1) }

// take gives an empty table for about n values.
func (s *spareValues) take(n int) map[pyast.Expr]*Value {
	l := &s[sizeClass(n)]
	if last := len(*l) - 1; last >= 0 {
		out := (*l)[last]
		*l = (*l)[:last]
		return out
	}
	return make(map[pyast.Expr]*Value, n)
}

// put takes a table back.
func (s *spareValues) put(values map[pyast.Expr]*Value) {
	l := &s[sizeClass(len(values))]
	clear(values)
	*l = append(*l, values)
}
