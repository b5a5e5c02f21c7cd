package checks

import (
	"math/bits"
	"sync"

	"github.com/gatebot/gatebot/internal/pyast"
)

// exprValues is what the expressions of one function were taken for. It is asked and told once for each expression that
// is evaluated, so it is an open table over where they stand in the file, which costs less than a map of interfaces. A
// nil one is empty and stays so.
type exprValues struct {
	slots []exprValue // a power of two of them, at least half of them free
	n     int
}

type exprValue struct {
	expr  pyast.Expr
	value *Value
}

const fewValues = 16 // slots of the smallest table

// spareValues are tables of frames that have ended, by size: a task makes thousands of them, and they were most of what it
// left to the collector.
var spareValues [32]sync.Pool

// takeValues gives an empty table for about n values.
func takeValues(n int) *exprValues {
	size := max(fewValues, 1<<bits.Len(uint(2*n)))
	if t, ok := spareValues[bits.Len(uint(size))].Get().(*exprValues); ok {
		return t
	}
	return &exprValues{slots: make([]exprValue, size)}
}

// end takes a table back.
func (t *exprValues) end() {
	clear(t.slots)
	t.n = 0
	spareValues[bits.Len(uint(len(t.slots)))].Put(t)
}

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
	if t == nil || t.n == 0 || e == nil {
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
	small := takeValues(len(t.slots)) // which is twice as large now
	t.slots, small.slots = small.slots, t.slots
	for _, s := range small.slots {
		if s.expr != nil {
			*t.slot(s.expr) = s
		}
	}
	small.end()
}
