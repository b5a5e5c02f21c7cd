package board

import "fmt"

// place is a place in the log of a job: the pieces before it were sent.
type place struct{ attempt, lease, piece int }

func (p place) String() string { return fmt.Sprintf("%d.%d.%d", p.attempt, p.lease, p.piece) }

// parsePlace reads a Last-Event-ID; what is none is the beginning.
func parsePlace(s string) place {
	var p place
	if n, err := fmt.Sscanf(s, "%d.%d.%d", &p.attempt, &p.lease, &p.piece); err != nil || n != 3 || p.piece < 0 || p.String() != s {
		return place{}
	}
	return p
}
