package checks

import (
	"math/rand/v2"
	"testing"

	"github.com/gatebot/gatebot/internal/pyast"
)

// TestExprValues holds the table against a map, with several expressions at one place, through growing and being used again.
func TestExprValues(t *testing.T) {
	for range 20 {
		table, want := takeValues(rand.IntN(40)), map[pyast.Expr]*Value{}
		exprs := make([]*pyast.Name, 1+rand.IntN(300))
		for i := range exprs {
			exprs[i] = &pyast.Name{}
			exprs[i].Off = rand.Uint32N(64)
			exprs[i].EndOff = exprs[i].Off + rand.Uint32N(3)
		}
		for range 2 * len(exprs) {
			e, v := exprs[rand.IntN(len(exprs))], newConstant(rand.Int64())
			table.set(e, v)
			want[e] = v
		}
		for _, e := range exprs {
			if table.get(e) != want[e] {
				t.Fatalf("%d of %d: another value than was set last", len(want), len(exprs))
			}
		}
		if table.n != len(want) {
			t.Fatalf("%d expressions, want %d", table.n, len(want))
		}
		table.end()
		if next := takeValues(len(want)); next.get(exprs[0]) != nil || next.n != 0 {
			t.Fatal("a table that is taken has values")
		}
	}
}

// TestBindings holds the sorted list against a map: variables and attributes that are set, deleted and put together.
func TestBindings(t *testing.T) {
	one := func() (*env, map[holder]*Value) {
		e, want := newEnv(nil), map[holder]*Value{}
		for range rand.IntN(60) {
			h := holder{rand.IntN(3), "abcdefgh"[:1+rand.IntN(8)]}
			if h.object == 0 && rand.IntN(4) == 0 {
				e.unset(h.name)
				delete(want, h)
				continue
			}
			want[h] = newConstant(rand.Int64())
			e.put(h, want[h])
		}
		return e, want
	}
	for range 500 {
		e, want := one()
		o, more := one()
		e.merge(o.clone())
		for h, v := range more {
			want[h] = join(want[h], v)
		}
		if len(e.vars) != len(want) || len(o.vars) != len(more) {
			t.Fatalf("%d and %d bindings, want %d and %d", len(e.vars), len(o.vars), len(want), len(more))
		}
		for h, v := range want {
			if got := e.at(h); !same(got, v) {
				t.Fatalf("%v: %v, want %v", h, got, v)
			}
		}
		for _, b := range e.vars.variables() {
			if b.object != 0 {
				t.Fatalf("%v is no variable", b.holder)
			}
		}
	}
}
