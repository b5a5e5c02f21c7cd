package hooks

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gatebot/gatebot/internal/finding"
)

// GPU runs the GPU checks over a commit and decides over them alone: the source check has been done. Its verdict is an
// error, with the reasons, where a check could not run; a machine without a device is one such.
type GPU func(ctx context.Context, rev string) (*finding.Results, error)

// gpuError is a GPU stage that gave no verdict. What the source check said stands.
type gpuError struct{ error }

// onDevice is the second stage of a push that passed the first: each new tip that differs from what the remote has in
// something that the checks could see is run on the device.
func (p *push) onDevice(ctx context.Context, news *pushed) (int, error) {
	c := &checker{push: p, cache: openCache(p.repo, "", "")}
	for _, t := range news.tips {
		if !news.fresh[t.commit] {
			continue
		}
		bases, err := news.bases(ctx, t)
		if err != nil {
			return 0, err
		}
		commit, err := p.repo.Commit(ctx, t.commit)
		if err != nil {
			return 0, err
		}
		if len(bases) > 0 {
			if same, err := c.inert(ctx, bases[0], commit.Tree); err != nil {
				return 0, err
			} else if same {
				continue
			}
		}
		start := time.Now()
		p.say("gatebot: GPU checks of %.7s %s …", commit.ID, oneLine(commit.Subject))
		res, err := p.opts.GPU(ctx, commit.ID)
		switch {
		case err != nil:
			return 0, gpuError{err}
		case res.Verdict == finding.VerdictPass:
			p.say("gatebot: GPU checks passed on %s in %s", deviceName(res), time.Since(start).Round(time.Second/10))
		case res.Verdict == finding.VerdictFail:
			return exitFindings, p.refuseDevice(t, res)
		default:
			return 0, gpuError{noVerdict(res)}
		}
	}
	return exitClean, nil
}

func deviceName(r *finding.Results) string {
	if r.Device == nil {
		return "no device"
	}
	return r.Device.Name
}

// noVerdict is why there is none. On a machine without a device that is one reason, and not one for every check.
func noVerdict(r *finding.Results) error {
	if r.Device == nil {
		for _, c := range r.Checks {
			if c.Required && c.Status == finding.StatusNotRun {
				return errors.New(c.Reason)
			}
		}
	}
	return errors.New(strings.Join(r.Reasons, "; "))
}

// refuseDevice tells which checks failed, with the findings that they made.
func (p *push) refuseDevice(t tip, r *finding.Results) error {
	p.say("gatebot: push to %s refused: the GPU checks fail on %s", withoutPassword(p.remote), deviceName(r))
	p.say("\n%s  %.7s\n", strings.Join(firstRefs(t.refs), ", "), t.commit)
	for _, c := range r.Checks {
		if c.Status == finding.StatusFail {
			p.say("  %-8s %s", c.Name, c.Reason)
		}
	}
	var found []finding.Finding
	for _, f := range r.Findings {
		if f.Check != finding.CheckSource && f.Gates(p.opts.FailOn) && len(found) < maxShown {
			found = append(found, f)
		}
	}
	text := finding.Text{Color: p.opts.Color}
	if err := text.WriteFindings(p.errw, found); err != nil {
		return fmt.Errorf("write the findings: %w", err)
	}
	p.say("\nHow to go on:")
	p.say("  look   gatebot check --rev %.12s --require-gpu  gives the whole report", t.commit)
	p.say("  skip   this check once:  git push --no-verify   or   %s=\"the reason\" git push", skipVariable)
	return nil
}
