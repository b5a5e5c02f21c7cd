// Package gb114 is rule GB114, async-d2h-read-early: the target of an asynchronous copy is read before the copy has arrived.
package gb114

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB114.
var Rule = &checks.Rule{
	ID: "GB114", Name: "async-d2h-read-early", Group: checks.GroupSync, Severity: finding.Error, Tier: 2, Static: true,
	Title: "reads the target of an asynchronous copy before the copy has arrived",
	Text: "`to(\"cpu\", non_blocking=True)` returns at once, with a host tensor that the device fills later. Reading it right away gives " +
		"whatever was in that memory: zeros, the values of the last step, or half of each. Nothing raises and nothing waits, so the " +
		"wrong numbers look like real ones, and only on a busy machine. An event recorded after the copy says when it has arrived.",
	Before: "lens = seq_lens.to(\"cpu\", non_blocking=True)\nlongest = lens.max().item()",
	After:  "lens = seq_lens.to(\"cpu\", non_blocking=True)\nself.copied.record()\n...  # other work\nself.copied.synchronize()  # outside the captured region\nlongest = lens.max().item()",
	Fix:    "record an event after the copy and synchronize on it before the host reads, or copy without non_blocking",
	Fine: []string{
		"a synchronize of an event, a stream or the device between the copy and the read",
		"another operation in between that waits, as `.item()` of a device tensor does",
		"handing the host tensor on without reading it; its shape",
		"a copy without non_blocking, which waits by itself (GB103, GB112)",
	},
	Torch:    "read from Copy.cu: a non-blocking copy to the host allocates pinned memory and does not wait",
	Mentions: []string{"copy_", "to"},
	Done: func(p *checks.Pass) {
		fn, ok := p.Node().(*pyast.FuncDef)
		if !ok || !p.Says("non_blocking") {
			return
		}
		s := &scan{p: p, pending: map[string]pyast.Node{}}
		s.block(fn.Body)
	},
}

// scan goes through a function in the order of the source.
type scan struct {
	p       *checks.Pass
	pending map[string]pyast.Node // host tensors whose copy may not have arrived, by their text
}

func (s *scan) block(body []pyast.Stmt) {
	for _, st := range body {
		blocks := region.Blocks(st)
		if blocks == nil {
			s.statement(st)
			continue
		}
		for _, e := range heads(st) {
			s.reads(e)
		}
		for _, b := range blocks {
			s.block(b)
		}
	}
}

// heads are the expressions of a compound statement that are evaluated before its suites.
func heads(st pyast.Stmt) []pyast.Expr {
	switch st := st.(type) {
	case *pyast.If:
		return []pyast.Expr{st.Test}
	case *pyast.While:
		return []pyast.Expr{st.Test}
	case *pyast.For:
		return []pyast.Expr{st.Iter}
	}
	return nil
}

func (s *scan) statement(st pyast.Stmt) {
	s.reads(st)
	var target, value pyast.Expr
	switch st := st.(type) {
	case *pyast.Assign:
		target, value = st.Targets[0], st.Value
	case *pyast.AnnAssign:
		target, value = st.Target, st.Value
	case *pyast.ExprStmt:
		if c, ok := st.X.(*pyast.Call); ok {
			if recv, name := region.Method(c); name == "copy_" && recv != nil && len(c.Args) > 0 && async(c) && s.p.Value(recv).OnCPU() &&
				s.p.Value(c.Args[0].Value).OnDevice() {
				s.pending[s.p.Text(region.Root(recv))] = c
			}
		}
	}
	if target == nil {
		return
	}
	text := s.p.Text(target)
	delete(s.pending, text)
	switch c := value.(type) {
	case *pyast.Call:
		recv, name := region.Method(c)
		switch {
		case name == "to" && recv != nil && async(c) && s.p.Value(recv).OnDevice() && s.p.Value(c).OnCPU():
			s.pending[text] = c
		case name == "numpy" && recv != nil && s.pending[s.p.Text(recv)] != nil:
			s.pending[text] = c // shares the memory
		}
	case *pyast.Name, *pyast.Attr:
		if from := s.pending[s.p.Text(value)]; from != nil {
			s.pending[text] = from
		}
	}
}

// reads looks for reads of what is pending, and for whatever waits.
func (s *scan) reads(n pyast.Node) {
	region.Walk(n, func(n pyast.Node) {
		c, ok := n.(*pyast.Call)
		if !ok {
			return
		}
		recv, name := region.Method(c)
		callee := s.p.Callee(c)
		switch {
		case strings.Contains(name, "sync") || strings.Contains(name, "wait") || name == "query" || name == "get" || name == "result":
			clear(s.pending)
		case (name == "item" || name == "tolist" || name == "cpu") && s.p.Value(recv).OnDevice():
			clear(s.pending)
		case name == "item" || name == "tolist":
			s.read(c, tensorOf(recv))
		case (name == "plan" || name == "begin_forward") && recv != nil:
			s.planned(c, callee)
		case (callee == "builtins.int" || callee == "builtins.float" || callee == "builtins.bool" || callee == "builtins.list" ||
			callee == "builtins.max" || callee == "builtins.min" || callee == "builtins.sum") && len(c.Args) == 1:
			s.read(c, tensorOf(c.Args[0].Value))
		}
	})
}

// tensorOf is the tensor behind views, indices and reductions: lens for lens[:n].max().
func tensorOf(e pyast.Expr) pyast.Expr {
	for {
		switch x := e.(type) {
		case *pyast.Subscript:
			e = x.X
		case *pyast.Call:
			recv, name := region.Method(x)
			switch name {
			case "max", "min", "sum", "mean", "any", "all", "numpy", "view", "reshape", "flatten", "squeeze", "long", "int", "float":
			default:
				return e
			}
			if recv == nil {
				return e
			}
			e = recv
		default:
			return e
		}
	}
}

func (s *scan) read(at *pyast.Call, e pyast.Expr) {
	if e == nil {
		return
	}
	text := s.p.Text(e)
	if s.pending[text] == nil || strings.Contains(s.p.Text(at), ".shape") {
		return
	}
	s.p.Report(at, s.p.Value(e), "{expr} reads `"+text+"` while the asynchronous copy into it may still be running")
}

// planned looks at what a planner is given: it reads lengths and index pointers on the host. The place to mend is the
// copy. A planner of the project may wait by itself.
func (s *scan) planned(c *pyast.Call, callee string) {
	var opts []checks.ReportOption
	if callee == "user" {
		opts = append(opts, checks.WithConfidence(finding.Possible))
	}
	for _, a := range c.Args {
		if copied := s.pending[s.p.Text(a.Value)]; copied != nil {
			s.p.Report(copied, s.p.Value(a.Value), "{expr} may not have arrived when `"+s.p.Text(c.Func)+"` reads it on the host", opts...)
		}
	}
}

func async(c *pyast.Call) bool { return region.True(region.Arg(c, -1, "non_blocking")) }
