package checks

import (
	"math/bits"

	"github.com/gatebot/gatebot/internal/pyast"
)

// exprValues is what the expressions of one function were taken for. It is asked and told once for each expression that
// is evaluated, so it is an open table over where they stand in the file, which costs a fifth of a map of interfaces.
type exprValues struct {
	slots []exprValue // a power of two of them, at least half of them free
	n     int
}

type exprValue struct {
	expr  pyast.Expr
	value *Value
}

const fewValues = 16 // slots of the smallest table

// slot is where e is, or would be.
func (t *exprValues) slot(e pyast.Expr) *exprValue {
	at := e.Pos()
	mask := uint32(len(t.slots) - 1)
	for i := (at.Off ^ at.EndOff<<16) * 0x9e3779b1 >> 15; ; i++ {
		if s := &t.slots[i&mask]; s.expr == e || s.expr == nil {
			return s
		}
	}
}

// get is nil for what has not been evaluated.
func (t *exprValues) get(e pyast.Expr) *Value {
	if t.n == 0 || e == nil {
		return nil
	}
	return t.slot(e).value
}

func (t *exprValues) set(e pyast.Expr, v *Value) {
	if 2*t.n >= len(t.slots) {
		t.grow()
	}
	s := t.slot(e)
	if s.expr == nil {
		s.expr = e
		t.n++
	}
	s.value = v
}

func (t *exprValues) grow() {
	old := t.slots
	t.slots = make([]exprValue, max(fewValues, 2*len(old)))
	for _, s := range old {
		if s.expr != nil {
			*t.slot(s.expr) = s
		}
	}
}

// spareValues are the slots of tables of frames that have ended, by size: a task makes thousands of them, and they were
// most of what it left to the collector.
type spareValues [32][][]exprValue

// take gives an empty table for about n values.
func (s *spareValues) take(n int) exprValues {
	size := max(fewValues, 1<<bits.Len(uint(2*n)))
	l := &s[bits.Len(uint(size))]
	if last := len(*l) - 1; last >= 0 {
		out := (*l)[last]
		*l = (*l)[:last]
		return exprValues{slots: out}
	}
	return exprValues{slots: make([]exprValue, size)}
}

// put takes a table back.
func (s *spareValues) put(t *exprValues) {
	if t.slots != nil {
		clear(t.slots)
		l := &s[bits.Len(uint(len(t.slots)))]
		*l = append(*l, t.slots)
	}
	*t = exprValues{}
}
