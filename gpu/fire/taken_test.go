package fire

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/queue"
)

// TestLostAndDoneBetweenTwoLooks: that a runner was lost is said even where the job was taken anew, or was done, before it
// was looked at again.
func TestLostAndDoneBetweenTwoLooks(t *testing.T) {
	started := queue.FireState{State: queue.FireStarted, Runner: "r1"}
	done := queue.FireState{State: queue.FireDone, Runner: "r2", Class: queue.ClassVerdict}
	gone := queue.FireState{State: queue.FireDone, Runner: "r2", Class: queue.ClassCancelled}
	for name, c := range map[string]struct {
		epoch int // lease that was heard of
		state queue.FireState
		now   int // lease of the state
		want  string
	}{
		"first":          {0, started, 1, "runner r1 has taken the job"},
		"next":           {1, started, 2, "the runner was lost, r1 begins anew"},
		"next, done":     {1, done, 2, "the runner was lost, r2 begins anew"},
		"first not seen": {0, done, 2, "another runner was lost or gave the job back, r2 begins anew"},
		"taken back":     {1, gone, 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var said strings.Builder
			f := &follower{Client: &Client{Say: func(format string, args ...any) { fmt.Fprintf(&said, format, args...) }}, epoch: c.epoch}
			c.state.Epoch = c.now
			f.taken(&c.state)
			if said.String() != c.want {
				t.Errorf("said %q, want %q", said.String(), c.want)
			}
		})
	}
}
