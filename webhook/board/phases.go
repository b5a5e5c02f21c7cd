package board

import "slices"

// phase is one step of a check on the way.
type phase struct {
	Name, State string // done, running, stopped (the check ended there), or ahead
	Done, Total int
	Unit        string
}

// order are the phases of a check as they follow each other. Not every check has all of them.
var order = []string{"checkout", "source", "device", "canary", "load", "eager", "reference", "invariance", "sync", "drift", "alloc", "capture", "replay", "speed"}

// rare are those of them that most checks do not have: they are shown while they last.
var rare = []string{"reference", "invariance"}

// phases are how far a check is. Of one that has ended without a verdict the last one is where it stopped.
func phases(p *Progress, verdict bool) []phase {
	if p == nil || p.Phase == "" {
		return nil
	}
	at := slices.Index(order, p.Phase)
	var out []phase
	if at < 0 {
		return []phase{{p.Phase, last(p, verdict), p.Done, p.Total, p.Unit}}
	}
	for i, name := range order {
		x := phase{Name: name, State: "ahead"}
		switch {
		case i != at && slices.Contains(rare, name):
			continue
		case i < at:
			x.State = "done"
		case i == at:
			x = phase{name, last(p, verdict), p.Done, p.Total, p.Unit}
		}
		out = append(out, x)
	}
	return out
}

// last is the state of the phase that was last heard of.
func last(p *Progress, verdict bool) string {
	switch {
	case !p.Ended:
		return "running"
	case verdict:
		return "done"
	}
	return "stopped"
}
