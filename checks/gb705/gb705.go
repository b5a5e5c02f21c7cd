// Package gb705 is rule GB705, graph-output-aliased: the output of a graph is kept across replays.
package gb705

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB705.
var Rule = &checks.Rule{
	ID: "GB705", Name: "graph-output-aliased", Group: checks.GroupReplay, Severity: finding.Error, Tier: 1, Static: true,
	Title: "keeps the output of a graph across replays without copying it",
	Text: "A graph writes its results to the same memory in every replay. The tensor that came out of the capture is a window on " +
		"that memory, not a result of its own. A list that collects it after each replay holds the same tensor many times: at " +
		"the end all entries show the last step. Everything that is to outlive the next replay has to be copied out before it.",
	Before: "for batch in batches:\n    x.copy_(batch)\n    g.replay()\n    outs.append(static_out)",
	After:  "for batch in batches:\n    x.copy_(batch)\n    g.replay()\n    outs.append(static_out.clone())",
	Fix:    "copy what is kept (static_out.clone(), or into a ring of buffers) before the next replay",
	Fine: []string{
		"`static_out.clone()`, `.cpu()`, `.tolist()`, or arithmetic: a tensor of its own",
		"returning the output to a caller that uses it before the next replay",
		"a list that is made once, before the replays",
	},
	Torch:    "independent of the version",
	Mentions: []string{"replay"},
	Setup:    true,
	Done: func(p *checks.Pass) {
		fn, ok := p.Node().(*pyast.FuncDef)
		if !ok {
			return
		}
		outputs := outputs(p)
		if len(outputs) == 0 {
			return
		}
		region.Walk(fn, func(n pyast.Node) {
			for _, body := range loops(n) {
				if replays(body) {
					kept(p, body, outputs)
				}
			}
		})
	},
}

// outputs are the texts of what captures of the class, or of this function, assign.
func outputs(p *checks.Pass) map[string]bool {
	out := map[string]bool{}
	for _, m := range p.Methods() {
		region.Walk(m, func(n pyast.Node) {
			w, ok := n.(*pyast.With)
			if !ok || !captures(p, w) {
				return
			}
			for _, s := range w.Body {
				a, ok := s.(*pyast.Assign)
				if !ok {
					continue
				}
				for _, t := range a.Targets {
					if _, local := t.(*pyast.Name); !local || m == p.Node() {
						out[p.Text(t)] = true
					}
				}
			}
		})
	}
	return out
}

// captures is by the words: the other functions of the class have not been evaluated.
func captures(p *checks.Pass, w *pyast.With) bool {
	for _, it := range w.Items {
		if c, ok := it.X.(*pyast.Call); ok && strings.HasSuffix(p.Text(c.Func), "cuda.graph") {
			return true
		}
	}
	return false
}

func loops(n pyast.Node) [][]pyast.Stmt {
	switch n := n.(type) {
	case *pyast.For:
		return [][]pyast.Stmt{n.Body}
	case *pyast.While:
		return [][]pyast.Stmt{n.Body}
	}
	return nil
}

func replays(body []pyast.Stmt) bool {
	for _, c := range region.CallsIn(body) {
		if recv, name := region.Method(c); name == "replay" && recv != nil {
			return true
		}
	}
	return false
}

// kept reports what a loop with a replay puts away.
func kept(p *checks.Pass, body []pyast.Stmt, outputs map[string]bool) {
	for _, s := range body {
		region.Walk(s, func(n pyast.Node) {
			switch n := n.(type) {
			case *pyast.Call:
				if _, name := region.Method(n); (name == "append" || name == "put" || name == "put_nowait" || name == "add") && len(n.Args) == 1 {
					report(p, n, n.Args[0].Value, outputs)
				}
			case *pyast.Yield:
				if n.X != nil {
					report(p, n, n.X, outputs)
				}
			case *pyast.Assign:
				if sub, ok := n.Targets[0].(*pyast.Subscript); ok && !p.Value(sub.X).IsTensor() {
					report(p, n.Targets[0], n.Value, outputs)
				}
			}
		})
	}
}

func report(p *checks.Pass, at pyast.Node, e pyast.Expr, outputs map[string]bool) {
	if outputs[p.Text(e)] || outputs[p.Text(region.Root(e))] {
		p.Report(at, nil, "`"+p.Text(e)+"` is the memory of the graph: the next replay overwrites what is kept here")
	}
}
