package webhook

import (
	"time"
)

// Policy is how patient the server is and what it asks runners for.
type Policy struct {
	Check   string        // name of the check run
	Pool    string        // runners that get the jobs
	Timeout time.Duration // of one job on its runner

	Lag                          time.Duration // how long GitHub's API may show an older head than the webhook did
	NotYetFor                    time.Duration // how long a commit may stay invisible before it counts as vanished
	PlanFor                      time.Duration // how long planning is retried before the run ends without a verdict
	QueueWarn                    time.Duration // when a run says that no runner has taken it
	QueueMax                     time.Duration // when waiting for a runner ends without a verdict
	Progress                     time.Duration // least time between two words about one running job; 0: none
	Grace                        time.Duration // what a result may take beyond the job's own time limit
	Retries                      int           // attempts after the first that infrastructure may spoil
	MaxBundle                    int64         // bytes
	RerunsPerPull, RerunsPerUser int           // within an hour, in one repository; 0: no limit
	RunForks                     bool          // run commits from forks and of people who cannot write without asking
	Trusted                      []string      // logins whose commits run although GitHub knows no write permission of theirs (bots)
	Reuse                        bool          // a verdict stands for every commit with the same tree
	Families                     bool          // a check run of its own for each check that ran
	Early                        time.Duration // how long after it is queued the source of a job is told of by itself, with Families; 0: never
	PassOnInfra                  bool          // infrastructure that gives up lets the commit pass; an open gate, and logged as one
	// HoldGateChanges: a pull request that edits the gate itself waits for an approval.
	HoldGateChanges bool
	KeepRecord      time.Duration // how long finished records stay
}

// DefaultPolicy is what serve uses.
func DefaultPolicy() Policy {
	return Policy{
		Check: "gatebot", Pool: "default", Timeout: 30 * time.Minute,
		Lag: 30 * time.Second, NotYetFor: 10 * time.Minute, PlanFor: 2 * time.Hour,
		QueueWarn: 10 * time.Minute, QueueMax: 24 * time.Hour, // GitHub gives up after 14 days
		Progress: 30 * time.Second, Grace: 10 * time.Minute, Retries: 2, MaxBundle: 1 << 30, KeepRecord: 30 * 24 * time.Hour,
		Reuse: true, Families: true, Early: 20 * time.Second, RerunsPerPull: 10, RerunsPerUser: 30, HoldGateChanges: true,
	}
}
