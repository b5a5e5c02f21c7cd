package ruletest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/checks"
)

var (
	id   = regexp.MustCompile(`^GB[0-9]{3}$`)
	name = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
)

// documented checks that everything `gatebot rules` prints is there and has the form that renderers rely on.
func documented(t *testing.T, r *checks.Rule) {
	t.Helper()
	if !id.MatchString(r.ID) || !name.MatchString(r.Name) {
		t.Errorf("id %q or name %q has not the usual form", r.ID, r.Name)
	}
	for field, text := range map[string]string{"Group": r.Group, "Title": r.Title, "Text": r.Text, "Before": r.Before,
		"After": r.After, "Fix": r.Fix, "Torch": r.Torch} {
		if strings.TrimSpace(text) == "" {
			t.Errorf("%s: %s is empty", r.ID, field)
		}
	}
	for field, line := range map[string]string{"Title": r.Title, "Fix": r.Fix} {
		if strings.Contains(line, "\n") || strings.HasSuffix(line, ".") || len(line) > 140 {
			t.Errorf("%s: %s must be one short line without a full stop: %q", r.ID, field, line)
		}
	}
	if n := len(strings.Fields(r.Text)); n < 30 || n > 110 {
		t.Errorf("%s: Text has %d words, want two to five sentences", r.ID, n)
	}
	if len(r.Fine) == 0 {
		t.Errorf("%s: Fine says nothing about what looks like it and is not", r.ID)
	}
	if r.Tier < 1 || r.Tier > 3 || !r.Static {
		t.Errorf("%s: tier %d, static %v", r.ID, r.Tier, r.Static)
	}
	if r.Calls != nil && len(r.Calls) == 0 {
		t.Errorf("%s: Calls is empty: is a family of torchop spelled wrongly?", r.ID)
	}
	if r.Calls != nil && r.Call == nil {
		t.Errorf("%s: Calls without a Call hook", r.ID)
	}
}
