package corpustest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/registry"
	"github.com/gatebot/gatebot/checks/ruletest"
	"github.com/gatebot/gatebot/internal/finding"
)

const corpus = "../../testdata/corpus"

// misses are the static cases that the source scan does not find yet, with the reason. Finding one makes the test fail
// until it is taken off the list, so the list can only shrink.
var misses = map[string]string{}

func TestCorpus(t *testing.T) {
	cases := load(t)
	static, found := 0, 0
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if good, ok := c.read(t, "good"); ok {
				for _, f := range gating(t, c.file("good"), good) {
					t.Errorf("%s:%d: reported on code that is fine: %s %s", f.Path, f.Line, f.Rule, f.Message)
				}
			}
			if !slices.Contains(c.kinds, "static") {
				return
			}
			static++
			missing := c.missing(t)
			reason, known := misses[c.name]
			switch {
			case len(missing) == 0 && known:
				t.Errorf("found now: take it off the list of misses (%s)", reason)
			case len(missing) > 0 && !known:
				t.Errorf("not found at lines %v", missing)
			case len(missing) == 0:
				found++
			}
		})
	}
	t.Logf("%d of %d static cases found at their lines", found, static)
	if static != 42 {
		t.Errorf("%d static cases in the corpus, want 42", static)
	}
	for name := range misses {
		if !slices.ContainsFunc(cases, func(c entry) bool { return c.name == name }) {
			t.Errorf("%s is on the list of misses and not in the corpus", name)
		}
	}
}

type entry struct {
	name, dir string
	lines     []int
	kinds     []string
}

func (c *entry) file(which string) string {
	for _, ext := range []string{".py", ".cu", ".cpp"} {
		if _, err := os.Stat(filepath.Join(c.dir, which+ext)); err == nil {
			return which + ext
		}
	}
	return ""
}

// read returns the source of one side of the case.
func (c *entry) read(t *testing.T, which string) ([]byte, bool) {
	t.Helper()
	name := c.file(which)
	if name == "" {
		return nil, false
	}
	data, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data, true
}

// missing are the lines of the hazard at which nothing gates.
func (c *entry) missing(t *testing.T) []int {
	t.Helper()
	src, ok := c.read(t, "bad")
	if !ok {
		return c.lines
	}
	at := map[int]bool{}
	for _, f := range gating(t, c.file("bad"), src) {
		for l := f.Line; l <= max(f.Line, f.EndLine); l++ {
			at[l] = true
		}
	}
	var out []int
	for _, l := range c.lines {
		if !at[l] {
			out = append(out, l)
		}
	}
	return out
}

// gating are the findings of severity warn or error that are not suppressed. A possible finding is shown and does not
// gate, but the contract with the corpus is stricter: it must not be there on good files, nor count on bad ones.
func gating(t *testing.T, path string, src []byte) []finding.Finding {
	t.Helper()
	var out []finding.Finding
	for _, f := range ruletest.Scan(t, map[string][]byte{path: src}, checks.Options{Rules: registry.Rules}) {
		if f.Suppressed == nil && f.Severity.AtLeast(finding.Warn) {
			if f.Confidence == finding.Possible && strings.HasPrefix(path, "bad") {
				continue
			}
			out = append(out, f)
		}
	}
	return out
}

var (
	linesOf = regexp.MustCompile(`(?m)^lines: \[(.*)\]`)
	kindsOf = regexp.MustCompile(`(?m)^kind: \[(.*)\]`)
)

func load(t *testing.T) []entry {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(corpus, "*", "expect.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) < 57 {
		t.Fatalf("%d cases in %s, want 57", len(paths), corpus)
	}
	var out []entry
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		c := entry{name: filepath.Base(filepath.Dir(p)), dir: filepath.Dir(p), kinds: list(kindsOf, data)}
		for _, s := range list(linesOf, data) {
			n, err := strconv.Atoi(s)
			if err != nil {
				t.Fatal(fmt.Errorf("%s: %w", p, err))
			}
			c.lines = append(c.lines, n)
		}
		out = append(out, c)
	}
	return out
}

func list(re *regexp.Regexp, data []byte) []string {
	m := re.FindSubmatch(data)
	if m == nil {
		return nil
	}
	var out []string
	for _, s := range strings.Split(string(m[1]), ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}
