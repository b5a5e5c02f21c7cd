package checks

import (
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is one hazard: what it is, as data, and how to see it in source. Everything that is printed about a rule
// (`gatebot rules`, SARIF help, docs) comes from these fields; there is no second copy of the prose.
type Rule struct {
	ID       string           // GB101; a number is never reused
	Name     string           // tensor-item
	Group    string           // the heading of the group, "Device to host synchronization"
	Severity finding.Severity // the default; a configuration may change it per path
	Tier     int              // 1 cheap and certain, 2 next, 3 rare
	Title    string           // one line, "reads a device value into a Python number"
	Text     string           // why it hurts, 2 to 5 sentences, for someone who has never seen a CUDA graph
	Before   string           // code that has the hazard
	After    string           // the same code without it
	Fix      string           // one line, imperative; goes into every finding unless a report says better
	Fine     []string         // what looks like it and is not, one line each
	Torch    string           // the torch versions it depends on and whether it was measured, or empty
	Static   bool             // false: listed and explained, but only the GPU checks can find it

	// Over names rules that describe the same hazard less well. Where this rule reports an expression, their
	// findings inside that expression are dropped: `range(int(n))` is GB405 and not also GB105.
	Over []string

	// The hooks. One that is nil costs nothing. They run on hot code only, may run several times for one place
	// (loops, several callers) and must not keep what they are given. Reports at one place are merged.
	Call       func(*Pass, *Call)
	Truth      func(*Pass, *Truth)
	Membership func(*Pass, *Membership)
	Load       func(*Pass, *Load)
	Store      func(*Pass, *Store)
	Iterate    func(*Pass, *Iterate)
	Format     func(*Pass, *Format)
	AttrStore  func(*Pass, *AttrStore)
	Binary     func(*Pass, *Binary)
	With       func(*Pass, *With)
	Return     func(*Pass, *Return)
	Function   func(*Pass) // once per hot function, before its body
	// Done runs after the body of a function, when Pass.Value knows what each of its expressions was taken for: the
	// hook of rules that compare places. With Mentions it runs only in functions that read or call one of these names.
	Done func(*Pass)
	// Mentions are last parts of names: "graph" for torch.cuda.graph, "data_ptr" for x.data_ptr().
	Mentions []string

	// Setup makes the hooks also run in functions beside the hot path that mention one of Mentions: what captures
	// a graph and what replays it run outside every step.
	Setup bool

	// Native is how the rule sees C++ and CUDA; nil for a rule about Python.
	Native *Native

	// Calls restricts Call to these canonical names when it is not nil. It is faster than a test in the hook, and
	// with `Call: checks.Always("…")` a rule is a table.
	Calls []string
}

// Always is a Call hook that reports every call it sees with the same message.
func Always(message string) func(*Pass, *Call) {
	return func(p *Pass, c *Call) { p.Report(c.Node, c.Recv, message) }
}

// OnDevice is a Call hook that reports calls whose receiver, or whose first argument when there is no receiver, is
// or may be a device tensor. Message is as for Pass.Report.
func OnDevice(message string) func(*Pass, *Call) {
	return func(p *Pass, c *Call) {
		if v := c.Subject(); v.MayBeOnDevice() {
			p.Report(c.Node, v, message)
		}
	}
}
