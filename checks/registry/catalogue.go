package registry

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

//go:embed catalogue.tsv
var catalogue string

// Entry is one line of the catalogue of hazards.
type Entry struct {
	ID, Name string
	Group    string
	Tier     int
	Severity finding.Severity
	Summary  string
	GPU      []string     // the GPU checks that can see it, by name; empty when none can
	Rule     *checks.Rule // the source rule; nil when the source scan does not find it
}

// Found says where the hazard is found: "static", "trace" (by the GPU checks), "both" or "not yet".
func (e *Entry) Found() string {
	static := e.Rule != nil && e.Rule.Static
	switch {
	case static && len(e.GPU) > 0:
		return "both"
	case static:
		return "static"
	case len(e.GPU) > 0:
		return "trace"
	}
	return "not yet"
}

// Catalogue lists every hazard, also those that only the GPU checks can find, in the order of their ids.
func Catalogue() []Entry {
	entries, _ := parse(catalogue) // a test reads the errors: the data is part of the program
	return entries
}

// Find returns the entry with that id (GB101, in any case) or name (tensor-item).
func Find(key string) (Entry, bool) {
	for _, e := range Catalogue() {
		if strings.EqualFold(e.ID, key) || strings.EqualFold(e.Name, key) {
			return e, true
		}
	}
	return Entry{}, false
}

func parse(data string) ([]Entry, error) {
	rules := map[string]*checks.Rule{}
	for _, r := range Rules {
		rules[r.ID] = r
	}
	var out []Entry
	for n, line := range strings.Split(data, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 6 {
			return nil, fmt.Errorf("catalogue.tsv:%d: %d columns, want 6", n+1, len(f))
		}
		tier, err := strconv.Atoi(f[2])
		if err != nil {
			return nil, fmt.Errorf("catalogue.tsv:%d: tier: %w", n+1, err)
		}
		e := Entry{ID: f[0], Name: f[1], Group: groupOf(f[0]), Tier: tier, Severity: finding.Severity(f[3]),
			Summary: f[5], Rule: rules[f[0]]}
		if f[4] != "-" {
			e.GPU = strings.Split(f[4], ",")
		}
		out = append(out, e)
	}
	return out, nil
}

// groupOf names the group of an id by its hundreds: GB2xx.
func groupOf(id string) string {
	groups := []string{checks.GroupGate, checks.GroupSync, checks.GroupShape, checks.GroupAlloc, checks.GroupControl,
		checks.GroupTransfer, checks.GroupStream, checks.GroupReplay, checks.GroupNative, checks.GroupLibraries}
	if len(id) < 3 || id[2] < '0' || id[2] > '9' {
		return ""
	}
	return groups[id[2]-'0']
}

// OnlyOnDevice reports whether a check on the device can show a rule and the source scan cannot.
func OnlyOnDevice(rule string) bool {
	e, ok := Find(rule)
	return ok && len(e.GPU) > 0 && e.Rule == nil
}
