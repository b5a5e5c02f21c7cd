// Package report renders a results file, with the trace of its run when there is one, as one self-contained HTML page:
// verdict and why, regions against checks at a glance, the time line of a step, each finding with its code and its
// evidence, times, allocations and what two steps do differently.
//
// Build turns the data into a Page, which is plain data, and Render writes it. Everything in a page comes from code under
// test (names, messages, source lines), so nothing is written but through html/template, and the page forbids itself
// every request and every script but its own.
package report

import (
	"time"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

// Input is what a page is made of.
type Input struct {
	Results *finding.Results
	Trace   *trace.Trace // nil: no GPU run, or nobody kept it
	// Read gives a file of the checked tree by its path from the root, for the lines around a finding. A file that cannot
	// be had leaves the line that the finding carries. Nil reads nothing.
	Read  func(path string) ([]byte, error)
	Title string    // of the project; "" leaves it out
	Root  string    // where the tree lay when the trace was recorded, to shorten file names
	When  time.Time // of the run; the zero time leaves it out
	// Recorded says that the trace was not recorded by this run, and where and when it was; "" when it was.
	Recorded string
	Facts    []Fact // more of them, behind those of the results
	Links    []Link // to what belongs to the page
}

// Link is a name and an address.
type Link struct{ Name, URL string }

// Page is everything a reader sees, in order.
type Page struct {
	Title    string
	Verdict  finding.Verdict
	Word     string // the verdict as a reader says it
	Headline string
	Reasons  []string
	Recorded string
	Facts    []Fact
	Links    []Link
	Checks   []Check
	Heat     *Heat
	Timeline *Timeline
	Findings []Finding // those that gate, then those that warn
	Quiet    []Finding // suppressed, possible and informational ones
	Speed    *Speed
	Allocs   *Allocs
	Drift    *Drift
}

// Fact is a name and its value in the head of the page.
type Fact struct {
	Name, Value string
	Mono        bool
}

// Check is one line of the table of checks.
type Check struct {
	Name     string
	Status   finding.Status
	Required bool
	Reason   string
	Metrics  []Fact
}

// Build makes the page. It never fails: what is missing is left out or said.
func Build(in Input) *Page {
	r := in.Results
	p := &Page{Title: in.Title, Verdict: r.Verdict, Reasons: r.Reasons, Recorded: in.Recorded}
	p.Word, p.Headline = words(r)
	p.Facts = append(facts(in), in.Facts...)
	p.Links = in.Links
	for i := range r.Checks {
		p.Checks = append(p.Checks, checkLine(&r.Checks[i]))
	}
	p.Heat = heat(r, in.Trace)
	p.Findings, p.Quiet = findings(in)
	if in.Trace != nil {
		p.Timeline = timeline(in)
		p.Speed = speed(r, in.Trace)
		p.Allocs = allocs(in)
		p.Drift = drift(in)
	}
	return p
}
