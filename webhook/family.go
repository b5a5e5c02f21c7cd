package webhook

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/webhook/github"
)

// families shows each check that ran as a check run of its own, `gatebot/sync` and so on, completed at birth: for people
// who look for one of them. Only the run without a family is to be required, since these are left out when the budget for
// requests is low and when a check did not run.
func (p *planner) families(ctx context.Context, r *Record, checks []finding.CheckResult, fresh bool) {
	if !p.policy.Families {
		return
	}
	for _, c := range checks {
		if c.Status == finding.StatusNotRun || slices.Contains(r.Shown, c.Name) {
			continue
		}
		n := github.NewRun{
			Name: r.Check + "/" + c.Name, SHA: r.Head, ExternalID: r.ExternalID() + "." + c.Name, DetailsURL: p.details(r),
			Conclusion: familyConclusion(c), Output: familyOutput(c),
		}
		if !fresh { // an earlier try may have left it
			if _, found, err := p.gh.FindRun(ctx, ghRepo(r.Repo), r.Head, n.Name, n.ExternalID); err != nil {
				p.log.WarnContext(ctx, "check families not shown", "key", r.Key, "error", err)
				return
			} else if found {
				continue
			}
		}
		if _, err := p.gh.CreateRun(ctx, ghRepo(r.Repo), n); err != nil {
			if !errors.Is(err, github.ErrBudget) {
				p.log.WarnContext(ctx, "check families not shown", "key", r.Key, "check", c.Name, "error", err)
			}
			return
		}
		r.Shown = append(r.Shown, c.Name)
	}
}

// familyConclusion: a check that is not required and fails is not the gate's business, but it did fail.
func familyConclusion(c finding.CheckResult) github.Conclusion {
	switch c.Status {
	case finding.StatusPass:
		return github.Success
	case finding.StatusFail:
		return github.Failure
	}
	return github.Cancelled
}

func familyOutput(c finding.CheckResult) github.Output {
	o := github.Output{Title: string(c.Status), Summary: fmt.Sprintf("`%s` took %d ms.\n", c.Name, c.DurationMS)}
	if c.Reason != "" {
		o.Title += ": " + c.Reason
		o.Summary += "\n" + c.Reason + "\n"
	}
	if !c.Required {
		o.Summary += "\nThis check does not gate.\n"
	}
	for i, region := range c.Regions {
		if i == 0 {
			o.Summary += "\n| Region | Status | Reason |\n|---|---|---|\n"
		}
		if i == 100 {
			o.Summary += fmt.Sprintf("\n%d more regions.\n", len(c.Regions)-i)
			break
		}
		o.Summary += fmt.Sprintf("| `%s` | %s | %s |\n", cellText(region.Name), region.Status, cellText(region.Reason))
	}
	return o
}
