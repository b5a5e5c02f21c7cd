package gen

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	validID   = regexp.MustCompile(`^GB[0-9]{3}$`)
	validName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
)

// New writes the skeleton of a rule below checks and generates the registry anew. The skeleton compiles, and its test
// fails until documentation, hook and test data are written. It refuses ids that are taken.
func New(checks, id, name string) error {
	if !validID.MatchString(id) {
		return fmt.Errorf("rule id %q: want GB and three digits", id)
	}
	if !validName.MatchString(name) {
		return fmt.Errorf("rule name %q: want lower-case words joined by '-'", name)
	}
	pkg := strings.ToLower(id)
	dir := filepath.Join(checks, pkg)
	if _, err := os.Stat(filepath.Join(dir, pkg+".go")); err == nil {
		return fmt.Errorf("rule %s: %s exists (numbers are never reused)", id, dir)
	}
	if err := os.MkdirAll(filepath.Join(dir, "testdata"), 0o755); err != nil {
		return err
	}
	files := map[string]string{
		filepath.Join(dir, pkg+".go"):                fmt.Sprintf(ruleText, pkg, id, name, pkg, id, id, name),
		filepath.Join(dir, "testdata", "hazards.py"): hazardText,
		filepath.Join(dir, "testdata", "fine.py"):    fineText,
	}
	for path, text := range files {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return Write(checks)
}

const ruleText = `// Package %s is rule %s, %s.
package %s

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is %s.
var Rule = &checks.Rule{
	ID: "%s", Name: "%s", Group: checks.GroupSync, Severity: finding.Error, Tier: 2, Static: true,
	Title:  "", // one line that continues "code that …"
	Text:   "", // why it hurts, for someone who has never seen a CUDA graph
	Before: "", // code that has the hazard
	After:  "", // the same code without it
	Fix:    "", // one line, imperative
	Fine:   nil, // what looks like it and is not
	Calls:  []string{},
	Call:   checks.OnDevice("{expr} …"),
}
`

const hazardText = `import torch


def step(x: torch.Tensor):
    return x  # want "what the message says"
`

const fineText = `import torch


def step(x: torch.Tensor):
    # which false positive this line guards against
    return x
`
