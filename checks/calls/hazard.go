package calls

import (
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

// Hazard says what one call is a hazard of, for checks that put the calls of a run together themselves: the rule, how
// much it matters, and what the line does. Wait is the wait that follows a copy, nil when none does. ok is false where
// the call is no hazard.
func Hazard(a, wait *trace.API) (rule string, severity finding.Severity, what string, ok bool) {
	k, ok := classify(a, wait)
	return k.rule, k.severity, k.what, ok
}
