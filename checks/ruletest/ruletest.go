// Package ruletest runs one rule over its testdata. Expectations stand on the line that must be flagged:
//
//	n = x.item()  # want "copies one value"
//	cudaFree(p);  // want "back to the driver"
//
// `# want` asks for a finding that gates (likely or proven, not suppressed) whose message matches the quoted regular
// expression, `# possible` for one that is only possible, `# suppressed` for one that a guard or comment suppresses.
// Several quoted expressions ask for several findings. A line without expectation must stay silent, so a false
// positive that has been fixed is one more line, with a comment that says what it guards against.
package ruletest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/finding"
)

// Run checks the documentation of the rule and scans each file of testdata by itself with this rule alone.
func Run(t *testing.T, rule *checks.Rule) {
	t.Helper()
	documented(t, rule)
	var paths []string
	for _, ext := range append([]string{".py"}, checks.NativeExtensions...) {
		found, err := filepath.Glob("testdata/*" + ext)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	wanted := 0
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			wanted += Check(t, filepath.Base(path), src, []*checks.Rule{rule})
		})
	}
	if wanted == 0 {
		t.Errorf("%s: no line of testdata wants a finding", rule.ID)
	}
}

// Check scans one file with the rules and compares with its expectations. It returns how many findings were wanted.
func Check(t *testing.T, path string, src []byte, rules []*checks.Rule) int {
	t.Helper()
	want, err := expectations(src)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	n := len(want)
	for _, f := range Scan(t, map[string][]byte{path: src}, checks.Options{Rules: rules}) {
		if !want.take(f) {
			t.Errorf("%s:%d: not expected: %s %s (%s): %s", path, f.Line, kindOf(&f), f.Rule, f.Confidence, f.Message)
		}
	}
	for _, w := range want {
		if !w.met {
			t.Errorf("%s:%d: no %s finding matches %q", path, w.line, w.kind, w.message)
		}
	}
	return n
}

// Scan scans files held in memory and returns the findings, notes of unreadable files included as test errors.
func Scan(t *testing.T, files map[string][]byte, opts checks.Options) []finding.Finding {
	t.Helper()
	if opts.Now.IsZero() {
		opts.Now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	rep, err := checks.Scan(context.Background(), Source(files), opts)
	if err != nil {
		t.Fatal(err)
	}
	if rep == nil {
		t.Fatal("no report")
	}
	for _, n := range rep.Notes {
		t.Errorf("note: %s", n)
	}
	return rep.Findings
}

// kindOf is the word of the expectation that a finding answers to.
func kindOf(f *finding.Finding) string {
	switch {
	case f.Suppressed != nil:
		return "suppressed"
	case f.Confidence == finding.Possible:
		return "possible"
	}
	return "want"
}

type expectation struct {
	line    int
	kind    string
	message *regexp.Regexp
	met     bool
}

type expected []*expectation

func (e expected) take(f finding.Finding) bool {
	for _, w := range e {
		if !w.met && w.line == f.Line && w.kind == kindOf(&f) && w.message.MatchString(f.Message) {
			w.met = true
			return true
		}
	}
	return false
}

var (
	comment = regexp.MustCompile(`(?:#|//|/\*) (want|possible|suppressed)\b(.*)$`)
	quoted  = regexp.MustCompile(`^\s*"([^"]*)"`)
)

// expectations reads the comments. What is between the quotes is taken as it stands, without escapes.
func expectations(src []byte) (expected, error) {
	var out expected
	for i, line := range strings.Split(string(src), "\n") {
		m := comment.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		rest, n := m[2], 0
		for {
			q := quoted.FindStringSubmatch(rest)
			if q == nil {
				break // the end, or a remark after the expectations
			}
			re, err := regexp.Compile(q[1])
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			out = append(out, &expectation{line: i + 1, kind: m[1], message: re})
			rest, n = rest[len(q[0]):], n+1
		}
		if n == 0 {
			return nil, fmt.Errorf("line %d: no quoted expression after # %s", i+1, m[1])
		}
	}
	return out, nil
}
