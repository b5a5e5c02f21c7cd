package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/registry"
)

func newRules(s streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "rules [ID...]",
		Aliases: []string{"explain"},
		Short:   "List the hazards, or explain some",
		Long: `Lists every hazard gatebot knows, also those that only the GPU checks can find. With ids or names, explains them: why
it hurts, before and after, the fix, and what looks like it and is fine.`,
		RunE: func(_ *cobra.Command, args []string) error {
			return runRules(args, asJSON, s.out)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func runRules(ids []string, asJSON bool, w io.Writer) error {
	entries := registry.Catalogue()
	if len(ids) > 0 {
		entries = nil
		for _, id := range ids {
			e, ok := registry.Find(id)
			if !ok {
				return usagef("%s: no such hazard (gatebot rules lists them)", id)
			}
			entries = append(entries, e)
		}
	}
	if asJSON {
		return rulesJSON(w, entries)
	}
	var b strings.Builder
	for i, e := range entries {
		if len(ids) == 0 {
			fmt.Fprintf(&b, "%s  %-5s  %-8s  %-32s %s\n", e.ID, e.Severity, e.Found(), e.Name, e.Summary)
			continue
		}
		if i > 0 {
			b.WriteString("\n")
		}
		explainRule(&b, e)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func explainRule(b *strings.Builder, e registry.Entry) {
	fmt.Fprintf(b, "%s %s  (%s, found: %s)\n\n%s\n", e.ID, e.Name, e.Severity, e.Found(), e.Summary)
	r := e.Rule
	if r == nil {
		text, why, fix, ok := registry.TraceOnly(e.ID)
		if ok {
			fmt.Fprintf(b, "\n%s\n\nnot found in source: %s\n\nfix: %s\n", text, why, fix)
		}
		return
	}
	fmt.Fprintf(b, "\n%s\n", r.Text)
	code := func(title, text string) {
		if text != "" {
			fmt.Fprintf(b, "\n%s:\n\n    %s\n", title, strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    "))
		}
	}
	code("before", r.Before)
	code("after", r.After)
	fmt.Fprintf(b, "\nfix: %s\n", r.Fix)
	if len(r.Fine) > 0 {
		b.WriteString("\nfine:\n")
		for _, f := range r.Fine {
			fmt.Fprintf(b, "  - %s\n", f)
		}
	}
	if r.Torch != "" {
		fmt.Fprintf(b, "\ntorch: %s\n", r.Torch)
	}
}

// ruleJSON is what scripts see of a rule.
type ruleJSON struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Group    string   `json:"group"`
	Tier     int      `json:"tier"`
	Severity string   `json:"severity"`
	Found    string   `json:"found"`
	Summary  string   `json:"summary"`
	GPU      []string `json:"gpu_checks"`
	Text     string   `json:"text,omitempty"`
	Before   string   `json:"before,omitempty"`
	After    string   `json:"after,omitempty"`
	Fix      string   `json:"fix,omitempty"`
	Fine     []string `json:"fine,omitempty"`
	Torch    string   `json:"torch,omitempty"`
}

func rulesJSON(w io.Writer, entries []registry.Entry) error {
	out := make([]ruleJSON, 0, len(entries))
	for _, e := range entries {
		j := ruleJSON{ID: e.ID, Name: e.Name, Group: e.Group, Tier: e.Tier, Severity: string(e.Severity), Found: e.Found(),
			Summary: e.Summary, GPU: append([]string{}, e.GPU...)}
		r := e.Rule
		if r == nil {
			text, _, fix, _ := registry.TraceOnly(e.ID)
			r = &checks.Rule{Text: text, Fix: fix}
		}
		j.Text, j.Before, j.After, j.Fix, j.Fine, j.Torch = r.Text, r.Before, r.After, r.Fix, r.Fine, r.Torch
		out = append(out, j)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}
