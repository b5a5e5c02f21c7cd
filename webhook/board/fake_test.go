package board

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/fixlog"
	"github.com/gatebot/gatebot/internal/readiness"
	"github.com/gatebot/gatebot/webhook/board/signin"
)

const token = "0123456789abcdef-token"

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

var dsv4, other = signin.Repo{ID: 1, Owner: "acme", Name: "dsv4"}, signin.Repo{ID: 2, Owner: "acme", Name: "other"}

// fake is a source of made-up data.
type fake struct {
	jobs   []Job
	ledger *fixlog.Ledger
	err    error
	asked  int // results files
}

func (f *fake) Jobs(context.Context) ([]Job, error) { return f.jobs, f.err }

func (f *fake) Runners(context.Context) ([]Runner, error) {
	return []Runner{
		{Name: "b200-1", State: "quarantined", Reason: "Xid 79: GPU has fallen off the bus", Since: now.Add(-3 * time.Hour), Device: "NVIDIA B200", Pools: []string{"default"}, Seen: now.Add(-20 * time.Second)},
		{Name: "b200-0", State: "busy", Job: "k1000", Device: "NVIDIA B200", Health: []Fact{{"looked at", "4 min ago: 178 of 179 GiB free, driver 580.95, 41 °C, 0 uncorrected memory errors"}}, Pools: []string{"default", "nightly"}, Seen: now},
		{Name: "b200-2", State: "silent", Pools: []string{"default"}},
		{Name: "b200-3", State: "quarantined", Manual: true, Reason: "new driver", Device: "NVIDIA B200", Pools: []string{"nightly"}, Seen: now},
		{Name: "b200-4", State: "idle", Device: "NVIDIA B200", Pools: []string{"nightly"}, Seen: now},
	}, f.err
}

func (f *fake) Results(_ context.Context, key string) (*finding.Results, error) {
	var n int
	if _, err := fmt.Sscanf(key, "k%d", &n); err != nil {
		return nil, err
	}
	f.asked++
	if n%7 == 3 {
		return nil, nil // its results are gone by now
	}
	captured := min(62, 20+(120-n)/2)
	capture := finding.CheckResult{Name: finding.CheckCapture, Status: finding.StatusPass, Required: true}
	for i := range 62 {
		r := finding.RegionResult{Name: fmt.Sprintf("L%02d", i), Status: finding.StatusPass}
		if i >= captured {
			r.Status, r.Reason, capture.Status = finding.StatusFail, "operation not permitted when stream is capturing", finding.StatusFail
		}
		capture.Regions = append(capture.Regions, r)
	}
	r := &finding.Results{Schema: finding.Schema, Verdict: finding.VerdictPass, Commit: head(n), Device: &finding.Device{Name: "NVIDIA B200", ComputeCapability: "10.0", Driver: "580.95", CUDA: "13.0"},
		Checks: []finding.CheckResult{{Name: finding.CheckSource, Status: finding.StatusPass, Required: true}, {Name: finding.CheckSync, Status: finding.StatusPass, Required: true}, capture,
			{Name: finding.CheckReplay, Status: finding.StatusPass, Required: true, Metrics: map[string]float64{"steps": 300}},
			{Name: finding.CheckSpeed, Status: finding.StatusPass, Metrics: map[string]float64{"eager_us": 36500 + float64(n%9)*120, "replay_us": 3300 + float64(n)*40, "speedup": 9.1}}}}
	if capture.Status == finding.StatusFail {
		r.Verdict = finding.VerdictFail
	}
	for i := range n%5 + n/20 {
		x := finding.Finding{Rule: "GB101", Name: "tensor-item", Check: finding.CheckSource, Severity: finding.Error, Confidence: finding.Likely, Path: "dsv4/moe.py", Line: 12 + i,
			Function: "MoE.forward", Message: "`.item()` copies one value to the host and waits for the stream", Fingerprint: fmt.Sprint(i)}
		switch i {
		case 1:
			x.Suppressed = &finding.Suppression{By: "inline"}
		case 2:
			x.Suppressed = &finding.Suppression{By: "baseline"}
		}
		r.Findings = append(r.Findings, x)
	}
	return r, nil
}

func (f *fake) Ledger(_ context.Context, repo signin.Repo) (*fixlog.Ledger, error) {
	if repo.ID != dsv4.ID {
		return nil, f.err
	}
	return f.ledger, f.err
}

func (f *fake) Setup(_ context.Context, repo signin.Repo) (Setup, error) {
	c := config.Default()
	c.Hazards = []config.Hazard{{ID: "C1", Title: "Compressor returns None for 3 of 4 steps", Status: "deferred", Phase: "2", Fix: "runs in the eager section", Rules: []string{"GB213"}},
		{ID: "C2", Title: "Scale factor read back per expert", Status: "done", Fix: "kept on the device", Rules: []string{"GB101"}}}
	return Setup{Config: c, GatedSince: now.AddDate(0, -2, 0), GatedBy: head(119)}, f.err
}

func head(n int) string { return fmt.Sprintf("%08x%032x", 0x51f00000+n*7919, n) }

var classes = []readiness.Class{{Name: "Host reads of device values", Rules: []string{"GB101", "GB102"}}, {Name: "Branches on device values", Rules: []string{"GB213"}}, {Name: "Allocations per step", Rules: []string{"GB301"}}}

func some() *fake {
	f := &fake{ledger: &fixlog.Ledger{}}
	f.jobs = append(f.jobs, Job{Key: "k1000", Repo: dsv4, Check: "gatebot", Head: head(1000), Ref: "pull/131/head", PR: 131, Author: "ada", State: "running", Title: "running on b200-0",
		Runner: "b200-0", Pool: "default", Attempt: 1, Created: now.Add(-4 * time.Minute), Updated: now.Add(-time.Minute)})
	for i := range 120 {
		j := Job{Key: fmt.Sprintf("k%d", i), Repo: dsv4, Check: "gatebot", Head: head(i), Ref: "main", State: "done", Conclusion: "success", HasResults: true, Attempt: 1, Pool: "default",
			Title: "no capture hazards", Runner: "b200-0", Created: now.Add(-time.Duration(i) * time.Hour), Updated: now.Add(-time.Duration(i) * time.Hour)}
		switch i % 4 {
		case 1:
			j.PR, j.Author, j.Conclusion, j.Title = i, "ada", "failure", "2 capture hazards: GB101 tensor-item in moe.py:12"
			j.Ref = fmt.Sprintf("pull/%d/head", i)
		case 2:
			j.Mainline = true
		case 3:
			j.Mainline, j.Repo = true, other
		}
		switch i {
		case 0:
			j.State, j.Conclusion, j.Title, j.HasResults, j.Runner = "waiting", "", "place 1 of 1 in pool default", false, ""
		case 4:
			j.Conclusion, j.Title, j.HasResults = "cancelled", "infrastructure, no verdict: the runner's driver went away", false
		case 8:
			j.Conclusion, j.Title, j.HasResults, j.PR, j.Author = "action_required", "waiting for approval: the pull request comes from a fork", false, 8, "mallory"
		}
		f.jobs = append(f.jobs, j)
	}
	states := []fixlog.State{fixlog.Fixed, fixlog.Fixed, fixlog.Regressed, fixlog.Fixed, fixlog.Removed, fixlog.Superseded}
	for i := range 70 {
		r := fixlog.Record{ID: fmt.Sprintf("fx-%d", i), State: states[i%len(states)], Commit: head(500 + i), Author: "Ada Lovelace", When: now.AddDate(0, 0, -i), Source: fixlog.SourceStatic,
			Rule: "GB101", Path: "dsv4/moe.py", Symbol: "MoE.forward", Operation: ".item()", Description: "moe.py: `.item()` removed from MoE.forward"}
		if i%3 == 1 {
			r.PR, r.Rule, r.Path, r.Symbol, r.Description = 100+i, "GB301", "dsv4/layers/attention/grouped_linear.py", "GroupedLinear.forward", "grouped_linear.py: torch.full() removed from GroupedLinear.forward"
		}
		switch r.State {
		case fixlog.Regressed:
			r.RegressedIn = head(400 + i)
		case fixlog.Removed:
			r.Doubt = "the file was deleted"
		case fixlog.Superseded:
			r.SupersededBy, r.RegressedIn = "fx-0", head(300+i)
		}
		f.ledger.Records = append(f.ledger.Records, r)
	}
	return f
}

// fakeFeed is one job whose log the test writes.
type fakeFeed struct {
	mu       sync.Mutex
	job      Job
	progress *Progress
	pieces   map[string][]byte // by place
	err      error
	reads    int
}

func (f *fakeFeed) Job(context.Context) (Job, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.job, f.err
}

func (f *fakeFeed) Progress(context.Context) (*Progress, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.progress == nil {
		return nil, f.err
	}
	p := *f.progress
	return &p, f.err
}

func (f *fakeFeed) Piece(_ context.Context, attempt, lease, n int) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads++
	return f.pieces[place{attempt, lease, n}.String()], f.err
}

// say adds a piece of the log, of the lease that is at work.
func (f *fakeFeed) say(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pieces == nil {
		f.pieces = map[string][]byte{}
	}
	f.pieces[place{f.progress.Attempt, f.progress.Lease, f.progress.Pieces}.String()] = []byte(text)
	f.progress.Pieces++
}

func (f *fakeFeed) change(do func(*fakeFeed)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do(f)
}

// running is a job in the middle of its capture.
func running() *fakeFeed {
	f := &fakeFeed{job: some().jobs[0], progress: &Progress{Attempt: 1, Lease: 1, Runner: "b200-0", Phase: "capture", Done: 43, Total: 62, Unit: "regions", At: now}}
	f.say("gatebot check of 51f78c0b8 against 51f0fb8e1\nsource: 61 files, 412 functions, 96 of them hot\n")
	f.say("canary: 9 of 9 planted violations were caught\neager: 8 steps\n")
	for i := range 43 {
		f.say(fmt.Sprintf("capture: model.layers.%d.pre: %d nodes, as many as eager\n", i, 180+i%7))
	}
	f.say("\x1b[33mwarning:\x1b[0m <b>not markup</b> token=" + "ghp_" + strings.Repeat("x", 36) + "\n")
	return f
}
