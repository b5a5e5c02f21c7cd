// Package crash names the points at which a test may kill the process with SIGKILL, to prove that what is durable is
// durable. In a normal build At is empty; with the build tag "crashpoints" the process kills itself at the point
// that GATEBOT_CRASH_AT names, once per marker file (GATEBOT_CRASH_ONCE).
package crash

// The points, in the order in which one pull request passes them. The end-to-end test goes through all of them.
const (
	EventStored   = "event-stored"   // server: the event is fsynced, the 202 not yet sent
	JobStored     = "job-stored"     // server: the job is in the queue, its event not yet acknowledged
	RunCreated    = "run-created"    // server: the check run exists at GitHub, its id is not yet stored
	JobRunning    = "job-running"    // runner: the child is started
	ResultSpooled = "result-spooled" // runner: the result is fsynced on the runner's disk, not yet published
	ResultStored  = "result-stored"  // runner: the result is in the queue, the job not yet acknowledged
	RunCompleting = "run-completing" // server: a result is read, the check run not yet updated
	RunCompleted  = "run-completed"  // server: GitHub has the conclusion, later annotations and ack still to come
	FixLogWritten = "fixlog-written" // server: the fix-log commit is made, its event not yet acknowledged
)

// Points lists every point.
var Points = []string{EventStored, JobStored, RunCreated, JobRunning, ResultSpooled, ResultStored, RunCompleting,
	RunCompleted, FixLogWritten}
