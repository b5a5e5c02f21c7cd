package readiness

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
)

// detector is section A: what the last check said, when, and on which device. What did not run is said to have not
// run, and nothing is claimed without results.
func detector(in Input) []Block {
	r := in.Results
	if r == nil {
		return []Block{{Text: fmt.Sprintf("No results: there is no %s (gatebot check writes it).", in.ResultsFile)}}
	}
	device := "a machine without a CUDA device"
	if d := r.Device; d != nil {
		device = d.Name
		var facts []string
		for _, f := range [][2]string{{"compute capability ", d.ComputeCapability}, {"driver ", d.Driver}, {"CUDA ", d.CUDA}} {
			if f[1] != "" {
				facts = append(facts, f[0]+f[1])
			}
		}
		if len(facts) > 0 {
			device += " (" + strings.Join(facts, ", ") + ")"
		}
	}
	head := fmt.Sprintf("%s on %s, %s", strings.ToUpper(string(r.Verdict)), device, in.Ran.UTC().Format("2006-01-02"))
	if r.Commit != "" {
		head += ", commit " + short(r.Commit)
		if in.Commit != "" && in.Commit != r.Commit {
			head += " (not the one of this document, " + short(in.Commit) + ")"
		}
	}
	var rows [][]string
	for _, c := range r.Checks {
		rows = append(rows, []string{c.Name, string(c.Status), details(c)})
	}
	return []Block{{Text: head}, {Head: []string{"Check", "Status", "Details"}, Rows: rows}}
}

// details are the reason of a check, the regions that did not pass, and its numbers.
func details(c finding.CheckResult) string {
	var parts []string
	if c.Reason != "" {
		parts = append(parts, c.Reason)
	}
	bad := 0
	for _, g := range c.Regions {
		if g.Status == finding.StatusPass {
			continue
		}
		if bad++; bad <= 5 {
			parts = append(parts, strings.TrimSuffix(g.Name+": "+string(g.Status)+": "+g.Reason, ": "))
		}
	}
	if bad > 5 {
		parts = append(parts, fmt.Sprintf("and %d more regions", bad-5))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Metrics)) {
		parts = append(parts, name+" "+number(c.Metrics[name]))
	}
	return strings.Join(parts, "; ")
}

// number has four digits, and no exponent where people read none.
func number(v float64) string {
	if v >= 1000 && v < 1e9 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
