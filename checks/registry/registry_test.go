package registry

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/finding"
)

func TestCatalogueIsWhole(t *testing.T) {
	entries, err := parse(catalogue)
	if err != nil {
		t.Fatal(err)
	}
	hazards := 0
	seen := map[string]bool{}
	for _, e := range entries {
		if seen[e.ID] || seen[e.Name] {
			t.Errorf("%s %s is there twice", e.ID, e.Name)
		}
		seen[e.ID], seen[e.Name] = true, true
		if !strings.HasPrefix(e.ID, "GB0") {
			hazards++
		}
		if e.Group == "" || e.Tier < 1 || e.Tier > 3 || !e.Severity.AtLeast(finding.Info) {
			t.Errorf("%s: group %q, tier %d, severity %q", e.ID, e.Group, e.Tier, e.Severity)
		}
		if !strings.HasSuffix(e.Summary, ".") {
			t.Errorf("%s: the summary is no sentence: %q", e.ID, e.Summary)
		}
		checks := append(slices.Clone(finding.GPUChecks), finding.CheckSource)
		for _, c := range e.GPU {
			if !slices.Contains(checks, c) {
				t.Errorf("%s: there is no check %q", e.ID, c)
			}
		}
	}
	if hazards < 114 {
		t.Errorf("%d hazards, want at least the 114 whose ids are a contract", hazards)
	}
	if !slices.IsSortedFunc(entries, func(a, b Entry) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("the catalogue is not in the order of the ids")
	}
}

// A rule and its line in the catalogue must say the same, or `gatebot rules` and a finding would differ.
func TestRulesAgreeWithCatalogue(t *testing.T) {
	for _, r := range Rules {
		e, ok := Find(r.ID)
		if !ok {
			t.Errorf("%s is not in the catalogue", r.ID)
			continue
		}
		if e.Name != r.Name || e.Tier != r.Tier || e.Severity != r.Severity || e.Group != r.Group {
			t.Errorf("%s: the catalogue says %s, tier %d, %s, %q; the rule %s, %d, %s, %q", r.ID, e.Name, e.Tier,
				e.Severity, e.Group, r.Name, r.Tier, r.Severity, r.Group)
		}
		for _, over := range r.Over {
			if _, ok := Find(over); !ok || over == r.ID {
				t.Errorf("%s is over %s, which is no other rule", r.ID, over)
			}
		}
	}
}

// The rules of the first issue, by id: none may go missing by accident.
func TestRulesOfTheChecklistAreThere(t *testing.T) {
	want := strings.Fields(`GB101 GB102 GB103 GB104 GB105 GB106 GB107 GB108 GB201 GB202 GB204 GB205 GB207 GB208 GB209
		GB210 GB301 GB302 GB401 GB402 GB403 GB404 GB405 GB501 GB502 GB505 GB506`)
	for _, id := range want {
		if e, ok := Find(id); !ok || e.Rule == nil {
			t.Errorf("%s: no source rule", id)
		}
	}
}

func TestFind(t *testing.T) {
	tests := []struct {
		key, id, found string
	}{
		{"GB101", "GB101", "both"},
		{"gb101", "GB101", "both"},
		{"tensor-item", "GB101", "both"},
		{"GB409", "GB409", "static"},
		{"GB716", "GB716", "trace"},
	}
	for _, tt := range tests {
		e, ok := Find(tt.key)
		if !ok || e.ID != tt.id || e.Found() != tt.found {
			t.Errorf("Find(%q) = %s, %s, %v; want %s, %s", tt.key, e.ID, e.Found(), ok, tt.id, tt.found)
		}
	}
	if _, ok := Find("GB999"); ok {
		t.Error("GB999 was found")
	}
	if got := (&Entry{}).Found(); got != "not yet" {
		t.Errorf("an entry that nobody finds: %q", got)
	}
}

func TestBrokenCatalogueIsAnError(t *testing.T) {
	for _, bad := range []string{"GB101\ttensor-item\t1", "GB101\ttensor-item\tone\terror\t-\tx"} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestDocsAreFresh(t *testing.T) {
	got, err := os.ReadFile("../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != Markdown() {
		t.Error("docs/rules.md is stale: run `make generate`")
	}
}

func TestHashFollowsTheRules(t *testing.T) {
	before := Hash()
	old := Rules[0].Fix
	defer func() { Rules[0].Fix = old }()
	Rules[0].Fix = "something else"
	if Hash() == before {
		t.Error("the hash did not change with a rule")
	}
}

// Every hazard has a page: one of its rule, or one that says why the source does not show it.
func TestEveryHazardHasAPage(t *testing.T) {
	for _, e := range Catalogue() {
		text, why, fix, ok := TraceOnly(e.ID)
		switch {
		case e.Rule == nil && !ok:
			t.Errorf("%s: neither a rule nor a page", e.ID)
		case e.Rule != nil && ok:
			t.Errorf("%s: has a rule and a page that says why it has none", e.ID)
		case ok && (len(text) < 80 || why == "" || fix == "" || strings.HasSuffix(fix, ".")):
			t.Errorf("%s: the page is incomplete", e.ID)
		}
	}
}
