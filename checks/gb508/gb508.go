// Package gb508 is rule GB508, pinned-source-race: a pinned buffer is rewritten before the copy from it has run.
package gb508

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB508.
var Rule = &checks.Rule{
	ID: "GB508", Name: "pinned-source-race", Group: checks.GroupTransfer, Severity: finding.Error, Tier: 1, Static: true,
	Title: "rewrites a pinned buffer while an asynchronous copy from it is queued",
	Text: "`copy_(pinned, non_blocking=True)` queues a copy and returns; the device reads the buffer later. When the host writes the next " +
		"value into the same buffer before that, the device gets the next value, or half of each. It works while the device is " +
		"ahead and fails under load. Two or more buffers in turn, or waiting for an event after the copy before writing again, keep " +
		"values apart.",
	Before: "for i in range(n):\n    self.pin.fill_(i)\n    self.buf.copy_(self.pin, non_blocking=True)",
	After:  "for i in range(n):\n    self.pins[i % 4].fill_(i)  # with an event for each\n    self.buf.copy_(self.pins[i % 4], non_blocking=True)",
	Fix:    "use a ring of pinned buffers, or wait for an event that is recorded after the copy before writing again",
	Fine: []string{
		"one write and one copy in a step: the step's own end orders them",
		"a blocking copy, which waits by itself",
		"a wait or an event between the copy and the next write",
		"buffers in turn: `self.pins[i % 2]`",
	},
	Torch:    "read from Copy.cu; independent of the version",
	Mentions: []string{"copy_", "to", "cuda"},
	Done: func(p *checks.Pass) {
		fn, ok := p.Node().(*pyast.FuncDef)
		if !ok || !p.Says("non_blocking") {
			return
		}
		block(p, fn.Body, false)
		region.Stmts(fn, func(n pyast.Stmt) {
			switch n := n.(type) {
			case *pyast.For:
				block(p, n.Body, true)
			case *pyast.While:
				block(p, n.Body, true)
			}
		})
	},
}

// act is one thing that happens to a pinned buffer.
type act struct {
	write bool // else an asynchronous copy from it
	at    pyast.Node
	value *checks.Value
}

// block looks for a write after a copy in one suite; in a loop the next turn comes after the end.
func block(p *checks.Pass, body []pyast.Stmt, loop bool) {
	acts, fresh := map[string][]act{}, map[string]bool{}
	for _, s := range body {
		if a, ok := s.(*pyast.Assign); ok {
			for _, t := range a.Targets {
				if n, ok := t.(*pyast.Name); ok {
					fresh[n.ID] = true // made in this suite
				}
			}
		}
		if waits(s) {
			if loop {
				return
			}
			clear(acts)
			continue
		}
		for name, a := range actsOf(p, s) {
			acts[name] = append(acts[name], a...)
		}
	}
	for name, as := range acts {
		if fresh[name] || len(as) == 0 {
			continue
		}
		copied := false
		for _, a := range as {
			if a.write && copied {
				report(p, a, name)
				return
			}
			copied = copied || !a.write
		}
		if loop && copied && as[0].write {
			report(p, as[0], name)
		}
	}
}

func report(p *checks.Pass, a act, name string) {
	p.Report(a.at, a.value, "`"+name+"` is written again while a copy from it may still be queued")
}

// waits reports whether a statement makes the host wait, for whatever it is.
func waits(s pyast.Stmt) bool {
	for _, c := range region.Calls(s) {
		_, name := region.Method(c)
		if strings.Contains(name, "sync") || strings.Contains(name, "wait") || name == "query" || name == "item" || name == "tolist" || name == "cpu" {
			return true
		}
	}
	return false
}

// actsOf lists what a statement does to pinned tensors, by the text of the tensor without its last index. A buffer
// that is chosen by an index is one of several.
func actsOf(p *checks.Pass, s pyast.Stmt) map[string][]act {
	out := map[string][]act{}
	add := func(e pyast.Expr, write bool, at pyast.Node) {
		root := region.Root(e)
		if v := p.Value(root); v.Pinned() && (region.Last(root) != "") {
			out[p.Text(root)] = append(out[p.Text(root)], act{write, at, v})
		}
	}
	if a, ok := s.(*pyast.Assign); ok {
		for _, t := range a.Targets {
			if t, ok := t.(*pyast.Subscript); ok {
				add(t, true, t)
			}
		}
	}
	for _, c := range region.Calls(s) {
		recv, name := region.Method(c)
		switch {
		case recv == nil:
		case name == "copy_" && len(c.Args) > 0:
			if async(c) {
				add(c.Args[0].Value, false, c)
			}
			add(recv, true, c)
		case (name == "to" || name == "cuda") && async(c):
			add(recv, false, c)
		case name == "fill_" || name == "zero_":
			add(recv, true, c)
		}
	}
	return out
}

func async(c *pyast.Call) bool { return region.True(region.Arg(c, 1, "non_blocking")) }
