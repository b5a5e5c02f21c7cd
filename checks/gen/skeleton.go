package gen

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
	rule, hazard, fine, ext := ruleText, hazardText, fineText, ".py"
	if id[2] == '8' {
		rule, hazard, fine, ext = nativeText, nativeHazardText, nativeFineText, ".cu"
	}
	files := map[string]string{
		filepath.Join(dir, pkg+".go"):                 fmt.Sprintf(rule, pkg, id, name, pkg, id, id, name, groups[id[2]-'0']),
		filepath.Join(dir, "testdata", "hazards"+ext): hazard,
		filepath.Join(dir, "testdata", "fine"+ext):    fine,
	}
	for path, text := range files {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	if err := listed(filepath.Join(checks, "registry", "catalogue.tsv"), id, name); err != nil {
		return err
	}
	return Write(checks)
}

// listed adds the id to the catalogue at its place unless it is there: most new rules are hazards that have a
// number already.
func listed(path, id, name string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	at := len(lines)
	for i, l := range lines {
		switch {
		case strings.HasPrefix(l, id+"\t"):
			return nil
		case !strings.HasPrefix(l, "#") && l > id && at == len(lines):
			at = i
		}
	}
	lines = slices.Insert(lines, at, id+"\t"+name+"\t2\terror\t-\tOne sentence for the list.")
	return os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}

// groups are the constants of package checks by the hundreds of an id.
var groups = [...]string{"GroupGate", "GroupSync", "GroupShape", "GroupAlloc", "GroupControl", "GroupTransfer",
	"GroupStream", "GroupReplay", "GroupNative", "GroupLibraries"}

const ruleText = `// Package %s is rule %s, %s.
package %s

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is %s.
var Rule = &checks.Rule{
	ID: "%s", Name: "%s", Group: checks.%s, Severity: finding.Error, Tier: 2, Static: true,
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

// nativeText is ruleText for a rule about C++ and CUDA.
const nativeText = `// Package %s is rule %s, %s.
package %s

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is %s.
var Rule = &checks.Rule{
	ID: "%s", Name: "%s", Group: checks.%s, Severity: finding.Error, Tier: 2, Static: true,
	Title:  "", // one line that continues "code that …"
	Text:   "", // why it hurts, for someone who has never seen a CUDA graph
	Before: "", // code that has the hazard
	After:  "", // the same code without it
	Fix:    "", // one line, imperative
	Fine:   nil, // what looks like it and is not
	Native: &checks.Native{
		Calls: []string{},
		Call:  checks.NativeAlways("{expr} …"),
	},
}
`

const nativeHazardText = `void op(at::Tensor x, cudaStream_t stream) {
  use(x);  // want "what the message says"
}
`

const nativeFineText = `void op(at::Tensor x, cudaStream_t stream) {
  // which false positive this line guards against
  use(x);
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
