// Package webhook is the server side of gatebot: it takes GitHub's webhooks, turns each commit that needs a verdict into
// one job, and brings results back as check runs.
//
// # How one event passes
//
// Intake (intake.go) checks the signature and stores the raw event; only then is GitHub answered. A lane per event type
// (lane.go) reads it back, Parse maps it to a Trigger, and the planner (planner.go) decides. Everything from there on
// hangs on one Record per job (record.go), changed by compare-and-swap and driven from state to state (drive.go):
//
//	planned → created → bundled → queued → completing → done
//
// Each step may be repeated: a process that dies in between is replaced by one that reads the record and goes on. What
// GitHub does not do idempotently (creating a check run, adding annotations) is looked up before it is repeated.
//
// # Who decides what
//
// Event files map, the planner decides which commits are checked, results.go decides what a result means for the check
// run. Only a violation is a failure; everything that kept us from a verdict is cancelled, timed out or action required,
// and nothing is ever skipped or neutral, because GitHub lets those pass.
package webhook
