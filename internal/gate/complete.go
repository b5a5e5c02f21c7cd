package gate

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gatebot/gatebot/checks/registry"
	"github.com/gatebot/gatebot/internal/finding"
)

// sees reports whether the catalogue says that a check can show a rule.
func sees(rule, check string) bool {
	e, ok := registry.Find(rule)
	return ok && slices.Contains(e.GPU, check)
}

// complete gives a finding of a trace what the source scan gives its own: name, fix, columns and fingerprint.
func complete(f *finding.Finding, read func(string) ([]byte, error)) {
	if f.Check == finding.CheckSource {
		return
	}
	if e, ok := registry.Find(f.Rule); ok {
		f.Name = e.Name
		if e.Rule != nil && f.Fix == "" {
			f.Fix = e.Rule.Fix
		}
	}
	text := ""
	if data, err := read(f.Path); err == nil {
		if lines := strings.Split(string(data), "\n"); f.Line <= len(lines) {
			text = strings.TrimRight(lines[f.Line-1], " \t\r")
		}
	}
	code := strings.TrimLeft(text, " \t")
	f.Column = utf8.RuneCountInString(text) - utf8.RuneCountInString(code) + 1
	f.EndColumn = max(f.Column+1, utf8.RuneCountInString(text)+1)
	tokens := append(strings.Fields(code), f.Region)
	f.Fingerprint = finding.Fingerprint(f.Rule, f.Path, f.Function, tokens, 0)
	f.MoveKey = finding.MoveKey(f.Rule, tokens)
	if code != "" {
		f.Evidence = append([]finding.Evidence{{Kind: finding.EvidenceSource, Path: f.Path, Line: f.Line, Code: code}}, f.Evidence...)
	}
}
