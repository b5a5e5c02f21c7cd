package checks

import "github.com/gatebot/gatebot/internal/pyast"

type interp struct{}
type frame struct {
	file   *fileUnit
	fn     *Func
	node   pyast.Node
	loop   int
	values map[pyast.Expr]*Value
}
type fileUnit struct {
	path string
	tree *pyast.Module
}
type module struct{}
type funcSummary struct{}

func (in *interp) report(p *Pass, n pyast.Node, v *Value, r report) {}
func join(a, b *Value) *Value                                       { return a }
func (v *Value) truth() (bool, bool)                                { return false, false }
