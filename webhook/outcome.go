package webhook

import (
	"fmt"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/webhook/github"
)

// Outcome is how a check run is to end.
type Outcome struct {
	Conclusion  github.Conclusion
	Output      github.Output
	Annotations []github.Annotation
	held        bool                  // waits for an approval
	infra       bool                  // we could not look
	fromResult  bool                  // a result message stands behind it and is not acknowledged before GitHub has it all
	checks      []finding.CheckResult // of the results, for the check families
	reused      string                // commit whose verdict this is
}

// Buttons. GitHub shows them once the run is completed.
var (
	approveButton = github.Action{Label: "Approve this commit", Description: "Let exactly this commit run", Identifier: actionApprove}
	rerunButton   = github.Action{Label: "Check again", Description: "Another attempt at this commit", Identifier: actionRerun}
)

// The outcomes that are no verdict. Only a violation is ever a failure.

// superseded: the pull request has another head or another base now, with a check of its own.
func superseded(head, baseRef string) Outcome {
	return Outcome{Conclusion: github.Cancelled, Output: github.Output{
		Title:   fmt.Sprintf("superseded by %.12s on %s", head, baseRef),
		Summary: fmt.Sprintf("The pull request moved on to `%s` before this was done. That has its own check.", head),
	}}
}

// withdrawn: nobody waits for it any more.
func withdrawn(reason string) Outcome {
	return Outcome{Conclusion: github.Cancelled, Output: github.Output{
		Title: "cancelled: " + reason, Summary: "No verdict was reached: " + reason + ".",
	}}
}

// infrastructure: we could not look. The gate stays closed and a re-run is a click away.
func infrastructure(reason string) Outcome {
	return Outcome{infra: true, Conclusion: github.Cancelled, Output: github.Output{
		Title: "infrastructure, no verdict: " + reason,
		Summary: "gatebot could not reach a verdict on this commit. This says nothing about the code.\n\n```\n" + fenced(reason) +
			"\n```\n\nUse **Re-run** to try again.",
	}}
}

// timedOut: a time limit was hit, of the run or of the wait for one.
func timedOut(reason string) Outcome {
	return Outcome{Conclusion: github.TimedOut, Output: github.Output{
		Title:   "timed out: " + reason,
		Summary: "No verdict was reached in time.\n\n```\n" + fenced(reason) + "\n```\n\nUse **Re-run** to try again.",
	}}
}

// badConfig: somebody has to repair the configuration on the base branch. It is neither a violation nor a fault of the
// machine, and a re-run alone changes nothing, so GitHub is told that action is required.
func badConfig(err error) Outcome {
	return Outcome{Conclusion: github.ActionRequired, Output: github.Output{
		Title: "gate configuration is invalid: " + err.Error(),
		Summary: "The gate's configuration is read from the base of the change, and it does not load:\n\n```\n" +
			fenced(err.Error()) + "\n```\n\nNothing was checked. Repair it on the base branch and use **Re-run**.",
	}}
}

// held: the code of a stranger runs on nobody's machine before somebody has looked at it.
func held(why, head string) Outcome {
	return Outcome{Conclusion: github.ActionRequired, held: true, Output: github.Output{
		Title: "waiting for approval: " + why,
		Summary: fmt.Sprintf("Checking this commit runs its code on a runner, and %s. Somebody with write access approves exactly this "+
			"commit with the button **%s**, or with the comment\n\n    /gatebot ok %.12s\n\nAfter another push it takes another approval.",
			why, approveButton.Label, head),
	}}
}

// logOnly: the commit writes the fix log and nothing else.
func logOnly(path string) Outcome {
	return Outcome{Conclusion: github.Success, Output: github.Output{
		Title:   "fix log only",
		Summary: fmt.Sprintf("The change touches only the fix log, `%s`: there is no code to check.", path),
	}}
}

func joinReasons(reasons []string) string { return strings.Join(reasons, "; ") }

// cellText makes text fit into a table.
func cellText(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "`", "'", "<", "&lt;").Replace(s)
}

// waiting is what a new run shows.
func waiting(pool string) github.Output {
	return github.Output{
		Title:   "waiting for a runner",
		Summary: fmt.Sprintf("Queued for a runner of pool `%s`.", pool),
	}
}
