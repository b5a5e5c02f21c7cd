package finding

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Name    string       `xml:"name,attr"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string       `xml:"name,attr"`
	Class   string       `xml:"classname,attr"`
	File    string       `xml:"file,attr,omitempty"`
	Line    int          `xml:"line,attr,omitempty"`
	Failure *junitResult `xml:"failure,omitempty"`
	Error   *junitResult `xml:"error,omitempty"`
	Skipped *junitResult `xml:"skipped,omitempty"`
}

type junitResult struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes JUnit XML: one suite for each check, with a case for the check itself and one for each of its
// findings that gates at failOn. A check that did not run is skipped, or an error when it is required.
func WriteJUnit(w io.Writer, r *Results, failOn Severity) error {
	all := junitSuites{Name: "gatebot"}
	for _, c := range r.Checks {
		s := junitSuite{Name: c.Name, Time: fmt.Sprintf("%.3f", float64(c.DurationMS)/1000)}
		s.add(junitCheck(c))
		for i := range r.Findings {
			if f := &r.Findings[i]; f.Check == c.Name && f.Gates(failOn) {
				s.add(junitFinding(f))
			}
		}
		all.Suites = append(all.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", " ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuite) add(c junitCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
}

func junitCheck(c CheckResult) junitCase {
	out := junitCase{Name: c.Name, Class: "gatebot"}
	result := &junitResult{Type: string(c.Status), Message: c.Reason}
	switch {
	case c.Status == StatusPass:
	case c.Status == StatusFail:
		out.Failure = result
	case c.Status == StatusNotRun && !c.Required:
		out.Skipped = result
	default:
		out.Error = result
	}
	return out
}

func junitFinding(f *Finding) junitCase {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s\n", f.Place(), f.Message)
	if f.Fix != "" {
		fmt.Fprintf(&text, "fix: %s\n", f.Fix)
	}
	for _, e := range f.Evidence {
		if e.Kind == EvidenceHotPath && e.Message != "" {
			fmt.Fprintf(&text, "hot: %s\n", e.Message)
		}
	}
	return junitCase{Name: fmt.Sprintf("%s %s %s:%d", f.Rule, f.Name, f.Path, f.Line), Class: f.Path + "::" + f.Function, File: f.Path,
		Line: f.Line, Failure: &junitResult{Type: f.Rule, Message: f.Message, Text: text.String()}}
}
