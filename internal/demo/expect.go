package demo

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/webhook/standin"
)

// wait waits for the completed check run of a commit. More than one run is a mistake.
func (s *scenario) wait(ctx context.Context, what, sha string) (standin.CheckRun, error) {
	var runs []standin.CheckRun
	err := s.rig.Children.Until(ctx, "the check run of "+what, patience, func() bool {
		runs = s.rig.GitHub.CheckRunsFor(sha)
		return len(runs) > 0 && !slices.ContainsFunc(runs, func(r standin.CheckRun) bool { return r.Status != "completed" })
	})
	switch {
	case err != nil:
		return standin.CheckRun{}, err
	case len(runs) != 1:
		return standin.CheckRun{}, fmt.Errorf("%s has %d check runs, want 1", what, len(runs))
	}
	return runs[0], nil
}

// expect verifies the conclusion, and that the annotations are on the planted lines and nowhere else.
func expect(run standin.CheckRun, conclusion string, planted []place) error {
	var problems []error
	if run.Conclusion != conclusion {
		problems = append(problems, fmt.Errorf("check run of %.7s: conclusion %s, want %s (%s)", run.HeadSHA, run.Conclusion, conclusion, run.Title))
	}
	var got, want []string
	for _, a := range run.Annotations {
		got = append(got, fmt.Sprintf("%s:%d", a.Path, a.StartLine))
	}
	for _, p := range planted {
		want = append(want, p.String())
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		problems = append(problems, fmt.Errorf("check run of %.7s: annotations on %v, want them on %v", run.HeadSHA, got, want))
	}
	return errors.Join(problems...)
}

// row is an added row of the fix log's table: the commit's short id, perhaps as code or a link.
var row = regexp.MustCompile("(?m)^\\+\\|[ `\\[]*([0-9a-f]{7,40})")

func rows(diff string) int { return len(row.FindAllString(diff, -1)) }

// expectRows verifies that the log gains one row for each fix, oldest first.
func expectRows(diff string, fixes []string) error {
	var got []string
	for _, m := range row.FindAllStringSubmatch(diff, -1) {
		got = append(got, m[1])
	}
	if len(got) != len(fixes) {
		return fmt.Errorf("fix log gains %d rows, want %d:\n%s", len(got), len(fixes), diff)
	}
	for i, fix := range fixes {
		if !strings.HasPrefix(fix, got[i]) {
			return fmt.Errorf("row %d of the fix log is about %s, want %.7s", i+1, got[i], fix)
		}
	}
	return nil
}
