package trial

import (
	"errors"
	"fmt"

	"github.com/gatebot/gatebot/internal/trace"
)

// Case is one piece of Python. All of it runs in one namespace, which has torch, dev ("cuda") and i, a host int that is
// another in every step.
type Case struct {
	Name    string `json:"name"`              // unique
	Setup   string `json:"setup,omitempty"`   // once
	Prepare string `json:"prepare,omitempty"` // before every step, outside of what is measured and captured
	Call    string `json:"call"`              // the step
	Out     string `json:"out,omitempty"`     // a tensor: replays are compared by its bytes; none: no replay
	// Fresh asks for an interpreter of its own instead of a fork of one that has torch already: for pieces that start
	// threads or compile.
	Fresh bool `json:"fresh,omitempty"`
}

// Result is what happened to one case.
type Result struct {
	Name   string `json:"name"`
	PID    int    `json:"pid"`
	Device string `json:"device"`
	Died   string `json:"died,omitempty"`   // how its process ended when it did not end well; nothing else is known then
	Eager  string `json:"eager,omitempty"`  // the exception of the piece in eager mode; nothing else is known then
	Warned int    `json:"warned,omitempty"` // calls that torch's sync-debug mode reported in one step
	// Capture is the exception that capturing the piece alone raised, "" when it was captured.
	Capture     string   `json:"capture,omitempty"`
	Nodes       []string `json:"nodes"`                  // kinds of the graph's nodes; nil: not captured, or this torch does not tell
	Replay      []bool   `json:"replay,omitempty"`       // per step: the replay gave the bits of the eager step
	ReplayError string   `json:"replay_error,omitempty"` // the exception of a replay

	// From the probe: the calls of one step and the launches in it. Unseen says why there is no record.
	Calls    []*trace.API `json:"-"`
	Launches int          `json:"-"`
	Unseen   string       `json:"-"`
	Blind    string       `json:"-"` // what the probe said when all or a part of it was switched off
}

// Torch is what the cases ran in.
type Torch struct {
	Version string `json:"torch"`
	CUDA    string `json:"cuda"`
	Python  string `json:"python"`
}

// ErrNoTorch is wrapped when the interpreter has no torch that knows CUDA: there is nothing to measure then.
var ErrNoTorch = errors.New("no torch with CUDA")

// check refuses lists that would make results ambiguous.
func check(cases []Case) error {
	seen := map[string]bool{}
	for _, c := range cases {
		switch {
		case c.Name == "" || c.Call == "":
			return fmt.Errorf("trial: case %q has no name or no call", c.Name)
		case seen[c.Name]:
			return fmt.Errorf("trial: case %q is there twice", c.Name)
		}
		seen[c.Name] = true
	}
	return nil
}
