package ops

import (
	"fmt"
	"io"
)

// Summary counts a table: what torch's own mode sees of what the probe sees.
type Summary struct {
	Measured  int `json:"measured"`
	Invalid   int `json:"invalid"` // raise in eager mode: not valid here
	Unknown   int `json:"unknown"` // no measurement
	Captured  int `json:"captured"`
	Refused   int `json:"refused"`    // cannot be captured
	Syncing   int `json:"syncing"`    // operations in which the probe saw the host wait
	ByTorch   int `json:"by_torch"`   // of these, reported by torch's mode at least once
	Partly    int `json:"partly"`     // of these, with more waits than torch's mode reported
	Calls     int `json:"calls"`      // blocking calls in the syncing operations
	Reported  int `json:"reported"`   // of these, reported by torch's mode
	Other     int `json:"other"`      // operations without a wait that hold the host in another way
	OnlyTorch int `json:"only_torch"` // operations that torch's mode reports and the probe does not
}

// Summarise counts.
func Summarise(rows []Row) Summary {
	var s Summary
	for _, r := range rows {
		switch {
		case r.Unknown != "":
			s.Unknown++
			continue
		case r.Eager != "":
			s.Invalid++
			continue
		}
		s.Measured++
		if r.Capture == "" {
			s.Captured++
		} else {
			s.Refused++
		}
		switch {
		case r.Blocking > 0:
			s.Syncing++
			s.Calls += r.Blocking
			s.Reported += min(r.Warned, r.Blocking)
			if r.Warned > 0 {
				s.ByTorch++
			}
			if r.Warned < r.Blocking {
				s.Partly++
			}
		case r.Warned > 0:
			s.OnlyTorch++
		case r.Other > 0:
			s.Other++
		}
	}
	return s
}

// Print says it in words.
func (s Summary) Print(w io.Writer) error {
	_, err := fmt.Fprintf(w, `%d operations measured, %d not valid here, %d without a measurement
%d can be captured alone, %d cannot
%d make the host wait: the probe saw %d blocking calls in them
torch's sync-debug mode reports %d of these operations and %d of the calls; it misses %d operations and %d calls
%d operations do not wait and hold the host otherwise (pageable copies, queries, memory of the driver)
%d operations are reported by torch's mode and not seen by the probe
`, s.Measured, s.Invalid, s.Unknown, s.Captured, s.Refused, s.Syncing, s.Calls, s.ByTorch, s.Reported, s.Syncing-s.ByTorch,
		s.Calls-s.Reported, s.Other, s.OnlyTorch)
	return err
}
