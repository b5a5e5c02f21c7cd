package ops

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Old is one line of a table that was written before: by gatebot ops, or one of those it was made after.
type Old struct {
	Warned, Blocking int
	Captured         bool
	Valid            bool // did not raise in eager mode
	OnlyWaits        bool // the line has nothing but the number of blocking calls
}

var (
	threeNumbers = regexp.MustCompile(`^(\S+)\s+(\d+)\s+(\d+)\s+(.*?)\s+\| (\{.*)$`)
	twoNumbers   = regexp.MustCompile(`^(\S+)\s+(\d+)\s+(.*?)\s+\| (\{.*)$`)
	runtimeWaits = regexp.MustCompile(`'RT:cuda(?:Stream|Device|Event)Synchronize': (\d+)`)
)

// ReadTable reads a table in any of the forms that checks/torchop reads. Errors name file and line.
func ReadTable(file, text string) (map[string]Old, error) {
	out := map[string]Old{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		// the first table begins with a head and ends with the stacks of its script
		if line == "" || line[0] == '#' || strings.HasPrefix(line, "op ") || strings.HasPrefix(line, "ops.py:") {
			continue
		}
		name, old, ok := readRow(line)
		if !ok {
			return nil, fmt.Errorf("%s:%d: no line of a table of operations", file, n)
		}
		out[name] = old
	}
	return out, nil
}

func readRow(line string) (string, Old, bool) {
	if m := threeNumbers.FindStringSubmatch(line); m != nil {
		return m[1], Old{Warned: number(m[2]), Blocking: number(m[3]), Captured: m[4] == "ok",
			Valid: !strings.Contains(m[5], "EAGER")}, true
	}
	if m := twoNumbers.FindStringSubmatch(line); m != nil {
		o := Old{Warned: number(m[2]), Captured: m[3] == "ok", Valid: strings.HasSuffix(strings.TrimSpace(m[4]), "}")}
		for _, w := range runtimeWaits.FindAllStringSubmatch(m[4], -1) {
			o.Blocking += number(w[1])
		}
		return m[1], o, true
	}
	if f := strings.Fields(line); len(f) == 2 {
		n, err := strconv.Atoi(f[1])
		return f[0], Old{Blocking: n, Valid: true, OnlyWaits: true}, err == nil
	}
	return "", Old{}, false
}

// number reads digits that an expression has matched.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1 // more digits than an int holds: equal to nothing that was measured
	}
	return n
}

// Compare says how a table differs from an older one, one line an operation: whether it waits at all, whether torch's
// mode reports it, whether it can be captured. Numbers of calls differ with shapes and are not compared.
func Compare(rows []Row, old map[string]Old) (same int, differences []string) {
	for _, r := range rows {
		o, ok := old[r.Name]
		if !ok || r.Unknown != "" {
			continue
		}
		var d []string
		add := func(what string, was, is bool) {
			if was != is {
				d = append(d, fmt.Sprintf("%s was %t, is %t", what, was, is))
			}
		}
		add("valid", o.Valid, r.Eager == "")
		if o.Valid && r.Eager == "" {
			add("waits", o.Blocking > 0, r.Blocking > 0)
			if !o.OnlyWaits {
				add("reported by torch", o.Warned > 0, r.Warned > 0)
				add("captured", o.Captured, r.Capture == "")
			}
		}
		if len(d) == 0 {
			same++
			continue
		}
		differences = append(differences, r.Name+": "+strings.Join(d, ", "))
	}
	slices.Sort(differences)
	return same, differences
}
