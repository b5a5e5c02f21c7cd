package report

import (
	"cmp"
	"slices"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

// Heat is regions against checks: one row a check, one cell a region.
type Heat struct {
	Regions []string
	Rows    []HeatRow
}

// HeatRow is one check.
type HeatRow struct {
	Check string
	Cells []Cell
	Worst finding.Status
}

// Cell is one check on one region. Status is that of the region, or "" where the check says nothing about regions.
type Cell struct {
	Region, Tip string
	Status      finding.Status
	Target      string // id of the first finding there, "" when there is none
}

// heat is nil when there are not several regions: of a single one the table of checks says all.
func heat(r *finding.Results, t *trace.Trace) *Heat {
	names := regionNames(r, t)
	if len(names) < 2 {
		return nil
	}
	h := &Heat{Regions: names}
	for i := range r.Checks {
		c := &r.Checks[i]
		if c.Name == finding.CheckCanary || c.Name == finding.CheckSource && !placed(r, c.Name) {
			continue
		}
		h.Rows = append(h.Rows, heatRow(r, c, names))
	}
	return h
}

// placed reports whether a finding of the check knows its region.
func placed(r *finding.Results, check string) bool {
	return slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return seenBy(&f, check) && f.Region != "" })
}

func heatRow(r *finding.Results, c *finding.CheckResult, names []string) HeatRow {
	row := HeatRow{Check: c.Name, Worst: c.Status}
	known := map[string]*finding.RegionResult{}
	for i := range c.Regions {
		known[c.Regions[i].Name] = &c.Regions[i]
	}
	for _, name := range names {
		cell := Cell{Region: name, Status: c.Status, Tip: c.Reason}
		switch {
		case c.Status != finding.StatusFail:
		case placed(r, c.Name) || len(known) > 0:
			cell.Status, cell.Tip = finding.StatusPass, "" // unless this region says otherwise
		default:
			cell.Status = "" // the check failed as a whole: nothing is known of a region, and that is no pass
		}
		if x := known[name]; x != nil {
			cell.Status, cell.Tip = x.Status, x.Reason
		}
		other := "" // what else was found there, for a region that failed without a finding of its own
		for i := range r.Findings {
			f := &r.Findings[i]
			if f.Region != name || f.Suppressed != nil || f.Confidence == finding.Possible || f.Severity == finding.Info {
				continue
			}
			if !seenBy(f, c.Name) {
				other = cmp.Or(other, anchor(f))
				continue
			}
			if cell.Target == "" {
				cell.Target, cell.Tip = anchor(f), f.Message
			}
			if c.Status == finding.StatusFail {
				cell.Status = finding.StatusFail
			}
		}
		if cell.Status == finding.StatusFail {
			cell.Target = cmp.Or(cell.Target, other)
		}
		row.Cells = append(row.Cells, cell)
	}
	return row
}

// seenBy reports whether a check found f, alone or beside the source scan, whose findings keep their check when a trace
// proves them.
func seenBy(f *finding.Finding, check string) bool {
	if f.Check == check {
		return true
	}
	if f.Confidence != finding.Proven || check != finding.CheckSync {
		return false
	}
	return slices.ContainsFunc(f.Evidence, func(e finding.Evidence) bool {
		return e.Kind == finding.EvidenceAPICall || e.Kind == finding.EvidenceSyncDebug
	})
}

// regionNames are all regions, in the order in which a step comes to them.
func regionNames(r *finding.Results, t *trace.Trace) []string {
	at := map[string]int{}
	var names []string
	add := func(name string) {
		if _, ok := at[name]; !ok && name != "" {
			at[name] = len(names)
			names = append(names, name)
		}
	}
	if t != nil {
		for _, m := range trace.Of[*trace.Region](t) {
			if m.At == trace.Enter && !m.Eager {
				add(m.Name)
			}
		}
	}
	n := len(names)
	for _, c := range r.Checks {
		for _, x := range c.Regions {
			add(x.Name)
		}
	}
	slices.SortStableFunc(names[n:], natural)
	return names
}

// natural compares names by their parts, numbers by value: layers.9 lies before layers.10.
func natural(a, b string) int {
	for a != "" && b != "" {
		x, restA := token(a)
		y, restB := token(b)
		if x != y {
			if x[0] >= '0' && x[0] <= '9' && y[0] >= '0' && y[0] <= '9' && len(x) != len(y) {
				return cmp.Compare(len(x), len(y))
			}
			return cmp.Compare(x, y)
		}
		a, b = restA, restB
	}
	return cmp.Compare(len(a), len(b))
}

// token cuts the first run of digits, or of anything else, from s.
func token(s string) (head, rest string) {
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	i := 1
	for i < len(s) && digit(s[i]) == digit(s[0]) {
		i++
	}
	return s[:i], s[i:]
}
