package gate

import (
	"fmt"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
)

// Request says what to look at. The zero value with a Dir scans the working tree around it.
type Request struct {
	Dir   string   // where the command was started
	Paths []string // files and folders below Dir, empty for the whole tree

	Rev    string // scan this commit's tree instead of the working tree
	Range  string // "A..B": scan B, report as new only what A does not have
	Base   string // like the A of Range, for any tree
	Staged bool   // scan the index

	ConfigFile   string // instead of the tree's own .gatebot.yaml
	Baseline     string // file of known findings
	Write        bool   // write that file anew from this scan
	AllFunctions bool
	NoCache      bool             // look at everything again and remember nothing
	FailOn       finding.Severity // default error
}

// A UsageError is a request that contradicts itself.
type UsageError struct{ Problem string }

func (e *UsageError) Error() string { return e.Problem }

// normal checks the request and turns Range into Rev and Base.
func (r Request) normal() (Request, error) {
	if r.FailOn == "" {
		r.FailOn = finding.Error
	}
	if r.FailOn != finding.Error && r.FailOn != finding.Warn {
		return r, &UsageError{fmt.Sprintf("--fail-on %q is none of error, warn", r.FailOn)}
	}
	var chosen []string
	for name, set := range map[string]bool{"--rev": r.Rev != "", "--range": r.Range != "", "--staged": r.Staged} {
		if set {
			chosen = append(chosen, name)
		}
	}
	if len(chosen) > 1 {
		return r, &UsageError{"--rev, --range and --staged exclude each other (give one)"}
	}
	if r.Range != "" {
		a, b, ok := strings.Cut(r.Range, "..")
		if !ok || a == "" || b == "" || strings.HasPrefix(b, ".") {
			return r, &UsageError{fmt.Sprintf("--range %q is not A..B", r.Range)}
		}
		if r.Base != "" {
			return r, &UsageError{"--range names its own base (leave --base out)"}
		}
		r.Base, r.Rev = a, b
	}
	if r.Write && r.Baseline == "" {
		return r, &UsageError{"--write-baseline needs --baseline FILE"}
	}
	return r, nil
}
