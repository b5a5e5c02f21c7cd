package queue

import (
	"fmt"
	"slices"
	"strings"
)

// Priority orders the jobs of a pool: a runner that is free takes one of a lower class only when there is none of a
// higher.
type Priority string

// The classes. A merge group keeps everybody waiting; a second look at the default branch keeps nobody.
const (
	High   Priority = "high" // merge groups
	Normal Priority = ""     // pull requests
	Low    Priority = "low"  // what landed
)

// JobSub is the sub-subject under which a job for a pool is published.
func JobSub(pool string, p Priority) string {
	if p == Normal {
		return pool
	}
	return pool + "." + string(p)
}

// fire stands in the sub-subject of a job that a developer sent.
const fire = "fire"

// FireSub is the sub-subject of a client's jobs. A client can publish under its own name only, so that the name is proof.
func FireSub(pool, client string) string { return pool + "." + fire + "." + client }

// ParseFireSub undoes FireSub.
func ParseFireSub(sub string) (pool, client string, ok bool) {
	f := strings.Split(sub, ".")
	if len(f) != 3 || f[1] != fire {
		return "", "", false
	}
	return f[0], f[2], true
}

// JobConsumers are the consumers of a pool in the order in which a runner asks them.
func JobConsumers(pool string) []Consumer {
	return []Consumer{poolConsumer(pool, "high", JobSub(pool, High)), JobConsumer(pool), fireConsumer(pool), poolConsumer(pool, "low", JobSub(pool, Low))}
}

func poolConsumer(pool, name, sub string) Consumer {
	return Consumer{Name: name + "-" + pool, Sub: sub, Lease: JobLease, MaxDeliver: JobMaxDeliver, MaxInFlight: jobsInFlight}
}

// fireConsumer is that of developers' jobs.
func fireConsumer(pool string) Consumer { return poolConsumer(pool, fire, FireSub(pool, "*")) }

// to stands in the sub-subject of a job that one runner is to have.
const to = "to"

// ToSub is the sub-subject of a job for one runner of a pool: another attempt after a runner that spoilt one.
func ToSub(pool, runner string) string { return pool + "." + to + "." + runner }

// toConsumer is the consumer of such jobs. The length keeps names apart that hold dashes.
func toConsumer(pool, runner string) Consumer {
	return Consumer{Name: fmt.Sprintf("to-%d-%s-%s", len(pool), pool, runner), Sub: ToSub(pool, runner), Lease: JobLease,
		MaxDeliver: JobMaxDeliver, MaxInFlight: jobsInFlight}
}

// ForRunner lists all that a runner asks: what it alone is to have, then the jobs of its pools by priority.
func ForRunner(runner string, pools []string) []Consumer {
	var all []Consumer
	for _, p := range pools {
		all = append(all, toConsumer(p, runner))
	}
	return append(all, ByPriority(pools)...)
}

// ByPriority lists the consumers of several pools: by class first, then in the order of the pools.
func ByPriority(pools []string) []Consumer {
	var all []Consumer
	for i := range JobConsumers("p") {
		for _, p := range pools {
			all = append(all, JobConsumers(p)[i])
		}
	}
	return all
}

// filterOf is the subject of a consumer's filter. A last token of * stands for any.
func filterOf(s Stream, sub string) (string, error) {
	rest, any := strings.CutSuffix(sub, ".*")
	subject, err := subjectOf(s, rest)
	if err != nil || !any {
		return subject, err
	}
	return subject + ".*", nil
}

// matches is what the server does with filterOf.
func matches(filter, sub string) bool {
	rest, any := strings.CutSuffix(filter, ".*")
	if !any {
		return filter == sub
	}
	got, ok := strings.CutPrefix(sub, rest+".")
	return ok && got != "" && !strings.Contains(got, ".")
}

// Client is a developer, or a machine of one, that may send jobs to pools and read what becomes of them.
type Client struct {
	Name  string
	Key   string // public nkey (U…)
	Pools []string
}

// notClients are names with a meaning of their own in subjects.
var notClients = []string{gateJobs, none}

func checkClients(cs []Client, rs []Runner) error {
	all := slices.Clone(rs)
	for _, c := range cs {
		if slices.Contains(notClients, c.Name) {
			return fmt.Errorf("queue: client %q: the name is taken (choose another)", c.Name)
		}
		all = append(all, Runner{Name: "client-" + c.Name, Key: c.Key, Pools: c.Pools})
	}
	return checkRunners(all)
}
