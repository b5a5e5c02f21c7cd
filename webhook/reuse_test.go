package webhook

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// on is a result from a runner with this device and driver.
func on(r queue.Result, device, driver string) queue.Result {
	var res finding.Results
	if err := json.Unmarshal(r.Results, &res); err != nil {
		panic(err)
	}
	res.Device = &finding.Device{Name: device, ComputeCapability: "10.0", Driver: driver}
	res.Checks = []finding.CheckResult{{Name: "source", Status: finding.StatusPass, Required: true}, {Name: "capture", Status: finding.StatusFail, Reason: "L03", Required: true}, {Name: "replay", Status: finding.StatusNotRun}}
	data, err := json.Marshal(res)
	if err != nil {
		panic(err)
	}
	r.Results = data
	return r
}

// TestVerdictOfATree: the merge group and then the default branch have the tree of the pull request. The GPU is asked once.
func TestVerdictOfATree(t *testing.T) {
	group := "refs/heads/gh-readonly-queue/main/pr-7-x"
	for _, tc := range []struct {
		name   string
		change func(w *world)
		reused bool
	}{
		{"the same", func(*world) {}, true},
		{"another tree", func(w *world) { w.mirrors.Trees = map[string]string{head2: "other"} }, false},
		{"another configuration", func(w *world) { w.mirrors.Files = map[string]string{base + ":.gatebot.yaml": "version: 1\n"} }, false},
		{"another driver since", func(w *world) {
			w.mirrors.Refs["refs/heads/main"] = base
			w.mirrors.Refs[base+"^1"] = zeros
			w.plan("push", pushPayload("refs/heads/main", zeros, base))
			if err := w.give(on(result(w.jobs()[0], finding.VerdictPass, 0), "B200", "581")); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"another day", func(w *world) { w.clock = w.clock.Add(24 * time.Hour) }, false},
		{"switched off", func(w *world) { w.policy.Reuse = false; w.start() }, false},
		{"results are gone", func(w *world) {
			w.deleteResults(t)
		}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			w.policy.Families = false
			w.start()
			w.mirrors.Trees = map[string]string{head: "tree", head2: "tree"}
			w.plan("pull_request", pullPayload("opened", head, ""))
			if err := w.give(on(result(w.jobs()[0], finding.VerdictFail, 1), "B200", "580")); err != nil {
				t.Fatal(err)
			}
			tc.change(w)
			before := len(w.gh.Runs)
			w.mirrors.Refs[group] = head2
			w.plan("merge_group", strings.ReplaceAll(groupPayload("checks_requested", ""), head, head2))
			run := w.gh.Runs[before]
			jobs := w.jobs()
			if tc.reused != (len(jobs) == 0) || tc.reused != (run.Conclusion == "failure") || tc.reused && (len(run.Paths) != 1 || !strings.Contains(run.Summary, "The same tree was checked as `a1a1a1a1a1a1`")) {
				t.Errorf("%d jobs; run %+v", len(jobs), run)
			}
		})
	}
}

// A verdict about a stranger's code, approved or not, is good for no other commit.
func TestStrangersVerdictIsNotReused(t *testing.T) {
	w := forked(t)
	w.plan("issue_comment", commentPayload("created", 33, "ada", "/gatebot ok "+head))
	if err := w.give(result(w.jobs()[0], finding.VerdictPass, 0)); err != nil {
		t.Fatal(err)
	}
	w.mirrors.Trees = map[string]string{head2: "tree-" + head}
	w.mirrors.Refs["refs/heads/gh-readonly-queue/main/pr-7-x"] = head2
	w.plan("merge_group", strings.ReplaceAll(groupPayload("checks_requested", ""), head, head2))
	if len(w.jobs()) != 1 {
		t.Error("the merge group was let through by a stranger's verdict")
	}
}

// A re-run that somebody asked for looks again.
func TestRerunIsNotReused(t *testing.T) {
	w := newWorld(t)
	w.plan("pull_request", pullPayload("opened", head, ""))
	if err := w.give(result(w.jobs()[0], finding.VerdictPass, 0)); err != nil {
		t.Fatal(err)
	}
	w.plan("check_run", buttonPayload(actionRerun, w.gh.Runs[0].ExternalID))
	if len(w.jobs()) != 1 {
		t.Error("no second job")
	}
}

func TestCheckFamilies(t *testing.T) {
	w := newWorld(t)
	w.plan("pull_request", pullPayload("opened", head, ""))
	r := on(result(w.jobs()[0], finding.VerdictFail, 1), "B200", "580")
	for range 2 {
		if err := w.give(r); err != nil {
			t.Fatal(err)
		}
	}
	w.want("a1 failure 1 capture hazard: GB101 tensor-item in f000.py:14", "a1 success pass", "a1 failure fail: L03")
	if w.gh.Runs[1].Name != "gatebot/source" || w.gh.Runs[2].Name != "gatebot/capture" {
		t.Errorf("names %s, %s", w.gh.Runs[1].Name, w.gh.Runs[2].Name)
	}
	w = newWorld(t)
	w.gh.CourtesyError = github.ErrBudget // a low budget costs the families and nothing else
	w.plan("pull_request", pullPayload("opened", head, ""))
	if err := w.give(on(result(w.jobs()[0], finding.VerdictPass, 0), "B200", "580")); err != nil {
		t.Fatal(err)
	}
	w.want("a1 success no capture hazards; not run: replay")
}

// deleteResults loses the blobs of every job.
func (w *world) deleteResults(t *testing.T) {
	t.Helper()
	keys, err := w.queue.Keys(t.Context(), queue.BucketJobs)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		r, _, err := w.load(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.queue.DeleteBlob(t.Context(), resultsName(r)); err != nil {
			t.Fatal(err)
		}
	}
}
