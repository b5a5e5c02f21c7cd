// Package gb305 is rule GB305, per-call-workspace: scratch memory that an operation makes in every call.
package gb305

import (
	"regexp"
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB305.
var Rule = &checks.Rule{
	ID: "GB305", Name: "per-call-workspace", Group: checks.GroupAlloc, Severity: finding.Warn, Tier: 2, Static: true,
	Title: "creates scratch memory in every call of an operation",
	Text: "A kernel that needs a workspace is given one by its wrapper. Made in every call it costs an allocation per layer and step; in a " +
		"graph each captured size keeps a workspace of its own alive, for every layer and every batch size, so that memory " +
		"that was meant to be shared is held many times over. One workspace for the process, large enough for all of them, costs it once.",
	Before: "workspace = torch.empty(128 << 20, dtype=torch.uint8, device=x.device)\nops.gemm(x, w, workspace)",
	After:  "ops.gemm(x, w, self.workspace)  # made once, at load time",
	Fix:    "make the workspace once (on the module or in a module-level cache) and pass it to every call",
	Fine: []string{
		"a workspace that is made on first use and kept",
		"outputs: they are made with the operation's result type and returned (that is GB301)",
		"allocations inside a custom operator, in C++",
	},
	Torch:    "measured on an H200, torch 2.11: allocating does not wait; a capture takes it from the graph's own pool",
	Over:     []string{"GB301"},
	Mentions: []string{"empty", "zeros", "new_empty", "new_zeros", "empty_like"},
	Done: func(p *checks.Pass) {
		fn, ok := p.Node().(*pyast.FuncDef)
		if !ok {
			return
		}
		region.Stmts(fn, func(n pyast.Stmt) {
			a, ok := n.(*pyast.Assign)
			if !ok || len(a.Targets) != 1 {
				return
			}
			name, ok := a.Targets[0].(*pyast.Name)
			call, made := a.Value.(*pyast.Call)
			if !ok || !made || !p.Value(call).OnDevice() || !scratch(p, name.ID, call) || !only(p, fn, name.ID) {
				return
			}
			if op, ok := torchop.Lookup(p.Callee(call)); ok && op.Alloc == torchop.AllocFactory {
				p.Report(call, p.Value(call), "`"+name.ID+"` is scratch memory that every call allocates")
			}
		})
	},
}

// workspace are names of memory that only an operation uses.
var workspace = regexp.MustCompile(`(?i)(^|_)(workspace|scratch|temp_storage|tmp_buf)(_?buf|_?buffer)?$`)

// scratch reports whether an allocation is a workspace: its name says so, or it is made of bytes.
func scratch(p *checks.Pass, name string, c *pyast.Call) bool {
	if workspace.MatchString(name) {
		return true
	}
	v := p.Value(region.Arg(c, -1, "dtype"))
	return v != nil && v.Kind == checks.KindDType && (v.Name == "torch.uint8" || v.Name == "torch.int8") && strings.HasSuffix(p.Callee(c), "empty") && strings.Contains(name, "buf")
}

// only reports whether the variable goes nowhere but into calls: it is not returned, stored or handed on.
func only(p *checks.Pass, fn *pyast.FuncDef, name string) bool {
	used, kept := false, false
	region.Walk(fn, func(n pyast.Node) {
		switch n := n.(type) {
		case *pyast.Call:
			for _, a := range n.Args {
				if id, ok := a.Value.(*pyast.Name); ok && id.ID == name {
					used = true
				}
			}
		case *pyast.Return:
			if n.X != nil {
				pyast.Walk(n.X, func(x pyast.Node) bool {
					switch x := x.(type) {
					case *pyast.Call:
						return false
					case *pyast.Name:
						kept = kept || x.ID == name
					}
					return true
				})
			}
		case *pyast.Assign:
			if id, ok := n.Value.(*pyast.Name); ok && id.ID == name {
				kept = true
			}
		}
	})
	return used && !kept
}
