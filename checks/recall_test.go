package checks

import "testing"

// TestStatesInARing: what two scans learned of two classes may say that each is what it was when the other is. That ended
// the process: a stack has its limit.
func TestStatesInARing(t *testing.T) {
	x := &table{turn: 1, base: 1, scan: 1, ids: map[fact]uint32{}, states: map[uint32][]*memo{
		0: {{facts: []factWas{{id: 1}}}}, 1: {{facts: []factWas{{id: 0}}}},
	}}
	for i, name := range []string{"A", "B"} {
		f := fact{kind: factState, name: name}
		x.ids[f] = uint32(i)
		x.slots = append(x.slots, factSlot{fact: f, states: make([]state, 1)})
		x.told = append(x.told, told{})
	}
	if x.holds(t.Context(), &scan{}, &memo{facts: []factWas{{id: 0}, {id: 1}}}, nil) {
		t.Error("two states that nothing but each other bears out hold")
	}
	x.turn++
	x.base = x.turn
	if n := x.peek(&scan{}, 0); n >= 0 {
		t.Errorf("one of them is taken for %d", n)
	}
}
