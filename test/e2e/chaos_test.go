package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/crash"
	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/internal/rig"
	"github.com/gatebot/gatebot/webhook/standin"
)

// chaosPoints are those that one pull request passes; the fix log has a test of its own.
var chaosPoints = []string{crash.EventStored, crash.JobStored, crash.RunCreated, crash.JobRunning, crash.ResultSpooled, crash.ResultStored,
	crash.RunCompleting, crash.RunCompleted}

// TestChaos kills the server, the runner or both with SIGKILL, at a step or at any moment, round after round on one
// set-up. GATEBOT_CHAOS is the number of rounds (200 in `make chaos`), GATEBOT_CHAOS_SEED repeats a run.
func TestChaos(t *testing.T) {
	t.Parallel()
	rounds, seed := 20, uint64(time.Now().UnixNano())
	for name, into := range map[string]func(uint64){"GATEBOT_CHAOS": func(n uint64) { rounds = int(n) }, "GATEBOT_CHAOS_SEED": func(n uint64) { seed = n }} {
		if s := os.Getenv(name); s != "" {
			n, err := strconv.ParseUint(s, 10, 64)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			into(n)
		}
	}
	t.Logf("GATEBOT_CHAOS_SEED=%d", seed)
	c := &chaos{site: newSite(t, standin.Options{ContentPerMinute: 100000, ContentPerHour: 1000000}), rand: rand.New(rand.NewPCG(seed, seed))}
	c.commit("main", "Start", 0)
	c.delivered()
	c.serve, c.run = c.server(), c.runner()
	heads := map[string][]int{}
	for n := range rounds {
		head, lines := c.round(n)
		heads[head] = lines
		if t.Failed() {
			t.Fatalf("round %d failed", n)
		}
	}
	c.quiet()
	c.redeliver() // whatever was cut off, and everything else, once more
	c.quiet()
	for head, lines := range heads {
		c.one(head, verdictOf(lines), lines)
	}
	c.settled()
	c.executions()
}

func verdictOf(lines []int) string {
	if len(lines) > 0 {
		return "failure"
	}
	return "success"
}

type chaos struct {
	*site
	rand       *rand.Rand
	serve, run *rig.Child
	kills      int
}

// round checks one pull request while something dies.
func (c *chaos) round(n int) (head string, lines []int) {
	c.Helper()
	violations := []int{0, 1, 3, 60, 120}[c.rand.IntN(5)]
	killServer, killRunner := true, false
	switch c.rand.IntN(3) {
	case 1:
		killServer, killRunner = false, true
	case 2:
		killRunner = true
	}
	point := ""
	if c.rand.IntN(2) == 0 {
		point = chaosPoints[c.rand.IntN(len(chaosPoints))]
	}
	branch := fmt.Sprint("chaos-", n)
	c.Logf("round %d: %d violations, server %v, runner %v, at %q", n, violations, killServer, killRunner, point)
	if point != "" {
		c.arm(point, n)
	}
	head, lines = c.change(branch, violations, n)
	if point != "" {
		victim := &c.serve
		if isRunners(point) {
			victim = &c.run
		}
		c.until("the crash at "+point, func() bool { return (*victim).Dead() != nil })
		killServer, killRunner = killServer || victim == &c.serve, killRunner || victim == &c.run
	} else {
		time.Sleep(time.Duration(c.rand.IntN(700)) * time.Millisecond)
	}
	for _, killed := range []bool{killServer, killRunner} {
		if killed {
			c.kills++
		}
	}
	c.replace(killServer, killRunner)
	c.done(head)
	c.until("all annotations are there", func() bool { return len(c.GitHub.CheckRunsFor(head)[0].Annotations) >= len(lines) })
	c.one(head, verdictOf(lines), lines)
	return head, lines
}

// change opens a pull request whose tree there never was: a verdict that is reused would leave the runner out.
func (c *chaos) change(branch string, violations, n int) (head string, lines []int) {
	c.Helper()
	file, lines := step(violations)
	head, err := c.Repo.Commit(c.Context(), c.User, branch, branch, file, standin.Change{Path: "round.txt", Content: fmt.Appendln(nil, n)})
	if err != nil {
		c.Fatal(err)
	}
	if _, err := c.Repo.OpenPull(c.Context(), c.User, standin.NewPull{Title: branch, Head: branch}); err != nil {
		c.Fatal(err)
	}
	return head, lines
}

func isRunners(point string) bool {
	for _, p := range onRunner {
		if p == point {
			return true
		}
	}
	return false
}

// arm starts the process that is to die at a point anew, with that point set.
func (c *chaos) arm(point string, n int) {
	c.Helper()
	env := []string{"GATEBOT_CRASH_AT=" + point, "GATEBOT_CRASH_ONCE=" + c.marker(fmt.Sprint(point, "-", n))}
	c.quiet() // or it dies of what the round before has left, which is another test
	if isRunners(point) {
		c.Children.Remove(c.run)
		c.run.Stop()
		c.run = c.runner(env...)
		return
	}
	c.Children.Remove(c.serve)
	c.serve.Stop()
	c.serve = c.armed(env...)
}

// replace kills and starts anew.
func (c *chaos) replace(server, runner bool) {
	c.Helper()
	if server {
		c.Children.Remove(c.serve)
		c.serve.Kill()
	}
	if runner {
		c.Children.Remove(c.run)
		c.run.Kill()
	}
	if server {
		c.serve = c.server()
	}
	if runner {
		c.run = c.runner()
	}
}

var beginsLine = regexp.MustCompile(`job begins.* job=(\S+) .*epoch=(\d+)`)

// executions: the harness is executed no more often than leases were granted. Each line of the runner that says that a job
// begins is an execution. Each stands under a lease's number of its own, the numbers of a job rise, and the last of them is
// no more than the store has granted.
func (c *chaos) executions() {
	c.Helper()
	data, err := os.ReadFile(c.File("runner.log"))
	if err != nil {
		c.Fatal(err)
	}
	executed, last := map[string]int{}, map[string]int{}
	for _, m := range beginsLine.FindAllStringSubmatch(string(data), -1) {
		job := m[1]
		epoch, err := strconv.Atoi(m[2])
		if err != nil {
			c.Fatal(err)
		}
		if epoch <= last[job] {
			c.Errorf("job %s was executed under number %d after it was under %d", job, epoch, last[job])
		}
		executed[job], last[job] = executed[job]+1, epoch
	}
	if len(executed) == 0 {
		c.Fatal("the runner's log names no job: nothing was proven")
	}
	for _, child := range []*rig.Child{c.run, c.serve} { // the store has one owner
		c.Children.Remove(child)
		child.Stop()
	}
	q, err := queue.OpenEmbedded(c.Context(), queue.EmbeddedOptions{Dir: c.File("data/queue"), Start: patience})
	if err != nil {
		c.Fatal(err)
	}
	defer func() {
		if err := q.Close(); err != nil {
			c.Error(err)
		}
	}()
	again := 0
	for job, n := range executed {
		g, err := q.Granted(c.Context(), "default", "", job)
		if err != nil {
			c.Errorf("executed without a lease: %v", err)
			continue
		}
		if n > g.Epoch || last[job] > g.Epoch {
			c.Errorf("job %s was executed %d times, last under number %d; the store: %+v", job, n, last[job], g)
		}
		again += n - 1
	}
	c.Logf("%d jobs executed, %d executions more than jobs, %d processes killed", len(executed), again, c.kills)
}
