// Package gb714 is rule GB714, fresh-output-over-eager-break: an eager part hands a new tensor to the next captured one.
package gb714

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB714.
var Rule = &checks.Rule{
	ID: "GB714", Name: "fresh-output-over-eager-break", Group: checks.GroupReplay, Severity: finding.Error, Tier: 1, Static: true,
	Title: "hands a newly allocated tensor from an eager part to the next captured one",
	Text: "A step that is captured in pieces, with attention run eagerly in between, has a seam: the second graph reads its inputs at " +
		"the addresses of the recording. What the eager part returns is a new tensor somewhere else. Binding it to a name changes " +
		"nothing for the graph, which goes on with what was at the seam when it was recorded. The result has to be written into " +
		"the buffer that the graph reads.",
	Before: "pre.replay()\nself.attn_out = attention(self.q, kv)  # a new tensor\npost.replay()",
	After:  "pre.replay()\nself.attn_out.copy_(attention(self.q, kv))  # into the buffer that post reads\npost.replay()",
	Fix:    "copy the eager result into the buffer that the next graph reads, or let the eager part write there (out=)",
	Fine: []string{
		"`self.buf.copy_(attention(…))`, and an eager part that is given its output buffer",
		"wrappers that copy their inputs before they replay",
		"host values that are computed between two replays",
		"what comes after the last replay",
	},
	Torch:    "independent of the version; the replay check compares with eager over several steps",
	Mentions: []string{"replay"},
	Setup:    true,
	Done: func(p *checks.Pass) {
		var replays []*pyast.Call
		for _, c := range region.Calls(p.Node()) {
			if recv, name := region.Method(c); name == "replay" && recv != nil && len(c.Args) == 0 {
				replays = append(replays, c)
			}
		}
		if len(replays) < 2 {
			return
		}
		from, to := replays[0].Pos().EndOff, replays[len(replays)-1].Off
		region.Walk(p.Node(), func(n pyast.Node) {
			if a, ok := n.(*pyast.Assign); ok && a.Off > from && a.EndOff < to && len(a.Targets) == 1 {
				seam(p, a, to)
			}
		})
	},
}

func seam(p *checks.Pass, a *pyast.Assign, to uint32) {
	call, ok := a.Value.(*pyast.Call)
	if !ok || !eager(p, call) {
		return
	}
	switch t := a.Targets[0].(type) {
	case *pyast.Attr:
		p.Report(t, nil, "{expr} gets a new tensor between two replays: the next graph reads the one of the recording")
	case *pyast.Name:
		if !used(p, t.ID, a.EndOff, to) {
			p.Report(t, nil, "{expr} is a new tensor that nothing copies to where the next graph reads")
		}
	}
}

// eager reports whether a call makes a tensor of its own: a call on the device that is given no output.
func eager(p *checks.Pass, c *pyast.Call) bool {
	_, name := region.Method(c)
	if strings.HasSuffix(name, "_") || !p.Value(c).OnDevice() {
		return false
	}
	for _, a := range c.Args {
		if strings.HasPrefix(a.Name, "out") {
			return false
		}
	}
	return true
}

// used reports whether a variable is read before the last replay.
func used(p *checks.Pass, name string, from, to uint32) bool {
	found := false
	region.Walk(p.Node(), func(n pyast.Node) {
		if x, ok := n.(*pyast.Name); ok && x.ID == name && x.Off >= from && x.EndOff <= to {
			found = true
		}
	})
	return found
}
