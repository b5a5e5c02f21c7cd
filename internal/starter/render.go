package starter

import (
	"fmt"
	"strings"
)

// schemaURL lets editors complete the file.
const schemaURL = "https://github.com/gatebot/gatebot/raw/main/internal/schema/config.json"

// Render is the file. It loads as it is: what was not found out stands there as a comment.
func (g *Guesses) Render() []byte {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# yaml-language-server: $schema=%s", schemaURL)
	line("# Written by gatebot init from what it found. Every setting is optional; delete what is wrong.")
	line("version: 1")
	line("")
	line("# Which code runs in every step. Without roots gatebot starts at forward, decode*, *_step and what serving engines")
	line("# run in every step (gatebot scan --help). Roots of your own replace these.")
	line("hot_path:")
	if len(g.Exclude) == 0 {
		line("  # exclude: [\"scripts/**\"]")
	} else {
		line("  exclude:")
		for _, x := range g.Exclude {
			line("    - %q # %s", x.Value, x.Why)
		}
	}
	switch {
	case len(g.Roots) == 0:
		line("  # roots: [\"model.py::Model.decode_step\"]")
	default:
		line("  # roots: # found by their names; the default roots reach them already")
		for _, r := range g.Roots {
			line("  #   - %q", r.Value)
		}
	}
	line("  # load_time: [\"**::load_weights\"] # never hot")
	line("  # guards: [\"VERBOSE >= 2\"] # conditions that are false in production")
	line("")
	line("# One decode step on the GPU: a Python file with build(device) and step(state, i). gatebot check runs it.")
	if g.Entry != nil {
		line("step:")
		line("  entry: %q # %s", g.Entry.Value, g.Entry.Why)
	} else {
		line("# step:")
		line("#   entry: tests/gate_step.py # no file here has build and step; docs/quickstart.md shows one")
	}
	prefix := ""
	if g.Entry == nil {
		prefix = "# "
	}
	if g.Python != nil {
		line("%s  python: %q # %s", prefix, g.Python.Value, g.Python.Why)
	}
	line("%s  # capture: [\"model.layers.*\"] # regions, by attribute paths of the state; without it the whole step is one", prefix)
	line("%s  # boundaries: [4, 128] # step numbers whose multiples take another path", prefix)
	line("")
	if d := g.Device; d != nil {
		line("# The GPU of this machine. The gate on another one is an error, not a pass.")
		line("device: {name: %q, min_compute_capability: %q}", d.Name, d.ComputeCapability)
	} else {
		line("# device: {name: B200, min_compute_capability: \"10.0\"} # no GPU was seen here")
	}
	line("")
	if g.FixLog != nil {
		line("# %s: %s.", g.FixLog.Value, g.FixLog.Why)
		line("fixlog: {path: %q, heading: %q, mode: pr}", g.FixLog.Value, g.Heading)
	} else {
		line("# fixlog: {path: docs/FIXLOG.md, heading: Violation Fix Log, mode: pr}")
	}
	return []byte(b.String())
}
