package ops

import (
	"embed"
	"fmt"
	"strings"

	"github.com/gatebot/gatebot/gpu/trial"
)

//go:embed data/*.txt
var data embed.FS

// Lists are the lists of operations there are, in the order in which they are measured.
var Lists = []string{"common", "named"}

// List gives the operations of one of Lists.
func List(name string) ([]trial.Case, error) {
	text, err := data.ReadFile("data/" + name + ".txt")
	if err != nil {
		return nil, fmt.Errorf("ops: no list %q (there are %s)", name, strings.Join(Lists, ", "))
	}
	return Parse(name, string(text))
}

// Parse reads a list: `name: code` a line, where needed followed by ` ;; set-up`; lines that begin with > are the set-up
// of all that follow, # begins a remark. A ! behind a name asks for an interpreter of its own. Errors name file and line.
func Parse(file, text string) ([]trial.Case, error) {
	var out []trial.Case
	var setup strings.Builder
	seen := map[string]int{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if code, ok := strings.CutPrefix(line, "> "); ok {
			setup.WriteString(code + "\n")
			continue
		}
		if strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		name, code, ok := strings.Cut(line, ": ")
		name, fresh := strings.CutSuffix(name, "!")
		if !ok || name == "" || strings.ContainsAny(name, " \t") {
			return nil, fmt.Errorf("%s:%d: no `name: code` (a name has no blanks; set-up lines begin with >)", file, n)
		}
		if first, ok := seen[name]; ok {
			return nil, fmt.Errorf("%s:%d: %s is in line %d already (give it another name)", file, n, name, first)
		}
		seen[name] = n
		code, own, _ := strings.Cut(code, " ;; ")
		if code = strings.TrimSpace(code); code == "" {
			return nil, fmt.Errorf("%s:%d: %s has no code", file, n, name)
		}
		out = append(out, trial.Case{Name: name, Setup: setup.String() + strings.TrimSpace(own), Call: code, Fresh: fresh})
	}
	return out, nil
}

// ParseOwn reads a list of the user's, whose calls may use what the set-up of the list common defines.
func ParseOwn(file, text string) ([]trial.Case, error) {
	common, err := List("common")
	if err != nil {
		return nil, err
	}
	setup := common[0].Setup // its first call has no set-up of its own; a test holds that
	own, err := Parse(file, text)
	for i := range own {
		own[i].Setup = setup + own[i].Setup
	}
	return own, err
}
