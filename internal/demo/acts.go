package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gatebot/gatebot/examples/dsv4"
	"github.com/gatebot/gatebot/webhook/standin"
)

// patience is how long anything may take on a busy machine.
const patience = 3 * time.Minute

// begin makes the repository and pushes its first commit.
func (s *scenario) begin(ctx context.Context) error {
	s.clone = &clone{dir: filepath.Join(s.dir, "clone")}
	path, err := pathWith(s.Exe, s.dir)
	if err != nil {
		return err
	}
	s.clone.path = path
	if err := os.Mkdir(s.clone.dir, 0o755); err != nil {
		return err
	}
	if err := dsv4.Write(s.clone.dir); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"remote", "add", "origin", s.rig.Repo.PushURL(s.rig.User)},
		{"add", "."}, {"commit", "-q", "-m", "A decode step that is fit for CUDA graphs"},
	} {
		if _, err := s.clone.git(ctx, args...); err != nil {
			return err
		}
	}
	head, err := s.clone.git(ctx, "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	s.print.step("commit", "%.7s  examples/dsv4: a decode step of 61 layers that is fit for CUDA graphs", head)
	return s.land(ctx, "clean", head, "success", nil)
}

// land pushes main and waits for the check run of its new head.
func (s *scenario) land(ctx context.Context, what, head, conclusion string, planted []place) error {
	if _, err := s.clone.push(ctx, "main"); err != nil {
		return err
	}
	s.print.step("push", "main, %s", what)
	run, err := s.wait(ctx, "main", head)
	if err != nil {
		return err
	}
	s.verdict(run, "main %.7s: %s — %s", head, run.Conclusion, run.Title)
	return expect(run, conclusion, planted)
}

// verdict is the line of a check run, with the sign that GitHub puts before it.
func (s *scenario) verdict(run standin.CheckRun, format string, args ...any) {
	line := s.print.bad
	if run.Conclusion == "success" {
		line = s.print.good
	}
	line("check", format, args...)
}

// history lets two violations into main past the gate, and two commits fix them: the fix log gains a row for each.
func (s *scenario) history(ctx context.Context) error {
	if _, err := s.clone.git(ctx, "checkout", "-q", "main"); err != nil {
		return err
	}
	var head string
	var planted []place
	for _, c := range []change{rebase, count} {
		m, err := s.clone.commit(ctx, c)
		if err != nil {
			return err
		}
		head, planted = m.id, append(planted, m.planted...)
		s.print.step("commit", "%.7s  %s", m.id, m.message)
	}
	if err := s.land(ctx, "past the gate, with two violations", head, "failure", planted); err != nil {
		return err
	}
	var fixes []string
	for _, c := range []change{fixRebase, fixCount} {
		m, err := s.clone.commit(ctx, c)
		if err != nil {
			return err
		}
		fixes = append(fixes, m.id)
		s.print.step("commit", "%.7s  %s", m.id, m.message)
	}
	if err := s.land(ctx, "with both fixed", fixes[1], "success", nil); err != nil {
		return err
	}
	return s.fixLog(ctx, fixes)
}

// fixLog waits for the bot's pull request and shows what it would change.
func (s *scenario) fixLog(ctx context.Context, fixes []string) error {
	var pull standin.Pull
	var diff string
	var problem error
	err := s.rig.Children.Until(ctx, "the fix log's pull request", patience, func() bool {
		for _, p := range s.rig.Repo.Pulls() {
			if p.State != "open" || !strings.HasSuffix(p.User, "[bot]") {
				continue
			}
			out, err := s.bare().git(ctx, "diff", p.BaseSHA+"..."+p.HeadSHA)
			pull, diff, problem = p, out, err
			return err != nil || rows(diff) >= len(fixes)
		}
		return false
	})
	if err != nil || problem != nil {
		return errors.Join(err, problem)
	}
	s.logged = rows(diff)
	if err := expectRows(diff, fixes); err != nil {
		return err
	}
	s.print.good("fix log", "pull request #%d by %s: %s", pull.Number, pull.User, pull.Title)
	s.print.showDiff(diff)
	return nil
}

// bare is the repository at the stand-in, for looking at.
func (s *scenario) bare() *clone { return &clone{dir: s.rig.Repo.Dir(), path: os.Getenv("PATH")} }

// violation opens a pull request that plants hazards, and shows what a card said of the same commit.
func (s *scenario) violation(ctx context.Context) error {
	return errors.Join(s.pull(ctx, "largest-residual", plant, "failure"), s.recorded(ctx, "01-mhc-item"))
}

// repair opens a second one, on top of the first, that takes them out: what is left is the clean tree.
func (s *scenario) repair(ctx context.Context) error {
	return errors.Join(s.pull(ctx, "largest-residual-fixed", repair, "success"), s.recorded(ctx, "phase1-steps"), s.recorded(ctx, "phase2"))
}

func (s *scenario) pull(ctx context.Context, branch string, c change, conclusion string) error {
	if _, err := s.clone.git(ctx, "checkout", "-q", "-b", branch); err != nil {
		return err
	}
	m, err := s.clone.commit(ctx, c)
	if err != nil {
		return err
	}
	head, planted := m.id, m.planted
	if _, err := s.clone.push(ctx, branch); err != nil {
		return err
	}
	p, err := s.rig.Repo.OpenPull(ctx, s.rig.User, standin.NewPull{Title: m.message, Head: branch, Base: "main"})
	if err != nil {
		return err
	}
	s.print.step("pull", "request #%d %q opened, %.7s", p.Number, p.Title, head)
	run, err := s.wait(ctx, fmt.Sprintf("pull request #%d", p.Number), head)
	if err != nil {
		return err
	}
	s.verdict(run, "pull request #%d: %s", p.Number, run.Conclusion)
	err = s.print.showRun(run, func(path string) (string, error) {
		return s.bare().git(ctx, "show", head+":"+path)
	})
	return errors.Join(err, expect(run, conclusion, planted))
}

// hook installs the pre-push hook and pushes twice: once with a violation, once without.
func (s *scenario) hook(ctx context.Context) error {
	if err := s.installHook(ctx); err != nil {
		return err
	}
	if _, err := s.clone.git(ctx, "checkout", "-q", "-b", "experiment", "main"); err != nil {
		return err
	}
	m, err := s.clone.commit(ctx, badPush)
	if err != nil {
		return err
	}
	bad, planted := m.id, m.planted
	said, err := s.clone.push(ctx, "experiment")
	switch {
	case err == nil:
		return fmt.Errorf("the hook let %.7s through (%s)", bad, m.message)
	case !errors.Is(err, errRefused):
		return err
	case s.rig.Repo.Head("experiment") != "":
		return errors.New("the push was refused, and the branch is there all the same")
	}
	for _, p := range planted {
		if !strings.Contains(said, p.String()) {
			return fmt.Errorf("the hook refused the push and did not name %s: %s", p, said)
		}
	}
	s.print.bad("push", "experiment %.7s %q refused by the hook:", bad, m.message)
	s.print.under(said)

	if _, err := s.clone.git(ctx, "reset", "-q", "--hard", "main"); err != nil {
		return err
	}
	if m, err = s.clone.commit(ctx, goodPush); err != nil {
		return err
	}
	good := m.id
	if said, err = s.clone.push(ctx, "experiment"); err != nil {
		return err
	}
	if got := s.rig.Repo.Head("experiment"); got != good {
		return fmt.Errorf("the accepted push left the branch at %.7s, want %.7s", got, good)
	}
	s.print.good("push", "experiment %.7s %q accepted", good, m.message)
	if said != "" {
		s.print.under(said)
	}
	return nil
}
