package hooks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
)

// maxShown is how many findings a refusal prints; a first push of a legacy tree may have thousands.
const maxShown = 20

// refuse tells why the push does not go on, at which lines, and the ways on from here.
func (p *push) refuse(ctx context.Context, refused []refusal) error {
	total, shown := 0, 0
	var rules []string
	for _, r := range refused {
		total += len(r.findings)
	}
	what := "new capture hazard"
	if p.opts.All {
		what = "capture hazard"
	}
	if total != 1 {
		what += "s"
	}
	p.say("gatebot: push to %s refused: %d %s", withoutPassword(p.remote), total, what)
	for _, r := range refused {
		p.say("\n%s  %.7s %s", strings.Join(firstRefs(r.refs), ", "), r.commit.ID, oneLine(r.commit.Subject))
		if r.base == "" {
			p.say("(nothing on the remote to compare with: all hazards count as new)")
		}
		p.say("")
		show := r.findings[:min(len(r.findings), maxShown-shown)]
		shown += len(show)
		text := finding.Text{Color: p.opts.Color, Read: func(path string) ([]byte, error) {
			return git.ReadFile(ctx, p.repo, r.commit.ID, path)
		}}
		if err := text.WriteFindings(p.errw, show); err != nil {
			return fmt.Errorf("write the findings: %w", err)
		}
		if left := len(r.findings) - len(show); left > 0 {
			p.say("   … and %d more (gatebot scan --rev %.12s shows all)\n", left, r.commit.ID)
		}
		for _, f := range r.findings {
			if !slices.Contains(rules, f.Rule) {
				rules = append(rules, f.Rule)
			}
		}
	}
	p.waysOn(rules)
	return nil
}

// waysOn lists what the user can do, the best first.
func (p *push) waysOn(rules []string) {
	slices.Sort(rules)
	first := "GB101"
	if len(rules) > 0 {
		first = rules[0]
	}
	p.say("How to go on:")
	p.say("  fix    the lines above, commit, push again  (gatebot rules %s explains)", first)
	p.say("  allow  a line that is right as it is:  # gatebot: allow[%s] the reason", first)
	p.say("  skip   this check once:  git push --no-verify   or   %s=\"the reason\" git push", skipVariable)
	p.say("         (the server checks the same commits)")
}

// firstRefs keeps a push of many refs to one commit readable.
func firstRefs(refs []string) []string {
	if len(refs) <= 3 {
		return refs
	}
	return append(slices.Clone(refs[:3]), fmt.Sprintf("%d more", len(refs)-3))
}

// oneLine keeps control characters of a commit message away from the terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '�'
		}
		return r
	}, s)
}
