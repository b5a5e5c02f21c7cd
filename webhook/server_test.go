package webhook

import (
	"bytes"
	"context"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/bundle"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/outside"
	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
	"github.com/gatebot/gatebot/webhook/standin"
	"github.com/gatebot/gatebot/webhook/standin/openapi"
)

// machine is a server in this process, the GitHub stand-in, and a runner that looks for ".item()" in Python files.
type machine struct {
	t      *testing.T
	github *standin.Server
	repo   *standin.Repository
	ada    *standin.User
	queue  queue.Queue
	opts   Options
	stop   func()
	hook   string // where webhooks go
	server *Server
}

// quick leaves out the pauses between requests: several jobs within a second are the tests' doing.
var quick = github.Pace{PerMinute: 6000, PerHour: 10000, Burst: 1000}

var appKey = sync.OnceValues(func() (*rsa.PrivateKey, error) {
	key, _, err := standin.NewAppKey()
	return key, err
})

func newMachine(t *testing.T, around ...func(http.Handler) http.Handler) *machine {
	t.Helper()
	return newMachineOn(t, queue.NewMemory(), around...)
}

func newMachineOn(t *testing.T, q queue.Queue, around ...func(http.Handler) http.Handler) *machine {
	t.Helper()
	ctx := t.Context()
	key, err := appKey()
	if err != nil {
		t.Fatal(err)
	}
	setup := standin.Options{Dir: t.TempDir(), AppID: 5, AppKey: &key.PublicKey, Secret: secret, ContentPerMinute: 1000}
	for _, f := range around {
		setup.Around = f
	}
	gh, err := standin.New(setup)
	if err != nil {
		t.Fatal(err)
	}
	if err := gh.Start(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gh.Close() })
	repo, err := gh.CreateRepository(ctx, "o", "r")
	if err != nil {
		t.Fatal(err)
	}
	app, err := github.New(github.Options{AppID: 5, Key: key, BaseURL: gh.URL() + "/api/v3/", Pace: quick})
	if err != nil {
		t.Fatal(err)
	}
	policy := DefaultPolicy()
	policy.Early = time.Hour // a runner that is kept waiting makes no second run beside the one that counts
	m := &machine{
		t: t, github: gh, repo: repo, ada: gh.AddUser("ada", "ada-token-1234"), queue: q,
		opts: Options{
			GitHub: app, Secrets: []string{secret}, Data: t.TempDir(), Addr: "127.0.0.1:0", GitHost: strings.TrimPrefix(gh.URL(), "http://"),
			Scan: scanItems, Policy: &policy, Lease: 2 * time.Second, Sweep: 50 * time.Millisecond, Recover: 5 * time.Second, Drain: 5 * time.Second,
			Backoff: func(int) time.Duration { return 20 * time.Millisecond }, Log: quiet(),
		},
	}
	m.opts.Queue = m.queue
	if testing.Verbose() {
		m.opts.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	m.start()
	t.Cleanup(func() { m.stop() })
	go m.runner(ctx)
	return m
}

// start runs a server until stop is called, which waits for its end.
func (m *machine) start() {
	m.t.Helper()
	s, err := New(m.opts)
	if err != nil {
		m.t.Fatal(err)
	}
	m.hook, m.server = s.URL()+"/webhook", s
	m.github.SetWebhook(m.hook)
	ctx, cancel := context.WithCancel(context.WithoutCancel(m.t.Context()))
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	m.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			m.t.Errorf("server: %v", err)
		}
	})
}

// items are the findings of one tree: every line of a Python file with .item() in it.
func items(files map[string][]byte) []finding.Finding {
	var fs []finding.Finding
	for path, data := range files {
		equal := map[string]int{}
		for i, line := range strings.Split(string(data), "\n") {
			if strings.HasSuffix(path, ".py") && strings.Contains(line, ".item()") {
				fs = append(fs, finding.Finding{
					Rule: "GB101", Name: "tensor-item", Severity: finding.Error, Confidence: finding.Likely, Check: "source",
					Path: path, Line: i + 1, Column: 1, EndLine: i + 1, EndColumn: len(line), Function: "forward", Message: line,
					Fingerprint: finding.Fingerprint("GB101", path, "forward", []string{line}, equal[line]),
				})
				equal[line]++
			}
		}
	}
	finding.Sort(fs)
	return fs
}

// scanItems is items of a commit in a mirror.
func scanItems(ctx context.Context, dir, rev string) ([]finding.Finding, error) {
	r, err := git.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	entries, err := r.Tree(ctx, rev)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Path], err = git.ReadFile(ctx, r, rev, e.Path); err != nil {
			return nil, err
		}
	}
	return items(files), r.Close()
}

// runner does what a real one does: lease, unpack, look, send, acknowledge.
func (m *machine) runner(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		msg, err := m.queue.(queue.Trier).Try(ctx, queue.Jobs, queue.JobConsumers("default")...)
		if err != nil || msg == nil {
			pause(ctx, 10*time.Millisecond)
			continue
		}
		var job queue.Job
		if err := json.Unmarshal(msg.Data(), &job); err != nil {
			m.t.Error(err)
			return
		}
		res := queue.Result{JobID: job.ID, Key: job.Key, Attempt: job.Attempt, Epoch: msg.Deliveries(), Runner: "r1", Class: queue.ClassStarted}
		m.send(ctx, res)
		res.Class = queue.ClassVerdict
		if res.Results, err = m.check(ctx, filepath.Join(m.t.TempDir(), fmt.Sprint(n)), job); err != nil {
			res.Class, res.Reason = queue.ClassInfra, err.Error()
		}
		m.send(ctx, res)
		_ = msg.Ack(ctx)
	}
}

func (m *machine) send(ctx context.Context, res queue.Result) {
	data, err := json.Marshal(res)
	if err != nil {
		m.t.Error(err)
		return
	}
	id := fmt.Sprint(res.JobID, res.Epoch, res.Class)
	for ctx.Err() == nil { // a real runner keeps a result on its disk until the queue has it
		_, err := m.queue.Publish(ctx, queue.Results, "r1", id, data)
		if err == nil {
			return
		}
		if !errors.Is(err, queue.ErrUnavailable) && ctx.Err() == nil {
			m.t.Error(err)
			return
		}
		pause(ctx, 100*time.Millisecond)
	}
}

func (m *machine) check(ctx context.Context, dir string, job queue.Job) (json.RawMessage, error) {
	blob, err := m.queue.GetBlob(ctx, job.Bundle.Name)
	if err != nil {
		return nil, err
	}
	_, err = bundle.Checkout(ctx, blob, dir, bundle.Want{Head: job.Head, Tree: job.Tree, Base: job.Base})
	if err = errors.Join(err, blob.Close()); err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.py"))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, p := range paths {
		if files[filepath.Base(p)], err = os.ReadFile(p); err != nil {
			return nil, err
		}
	}
	r := finding.Results{Schema: finding.Schema, Verdict: finding.VerdictPass, Commit: job.Head, Tree: job.Tree, Findings: items(files)}
	if len(r.Findings) > 0 {
		r.Verdict = finding.VerdictFail
	}
	return json.Marshal(r)
}

// commit makes one as ada.
func (m *machine) commit(branch, path, content string) string {
	m.t.Helper()
	id, err := m.repo.Commit(m.t.Context(), m.ada, branch, "edit "+path, standin.Change{Path: path, Content: []byte(content)})
	if err != nil {
		m.t.Fatal(err)
	}
	return id
}

func (m *machine) open(branch string) standin.Pull {
	m.t.Helper()
	p, err := m.repo.OpenPull(m.t.Context(), m.ada, standin.NewPull{Title: branch, Head: branch})
	if err != nil {
		m.t.Fatal(err)
	}
	return p
}

// eventually waits until f is content; its last complaint is the failure.
func (m *machine) eventually(f func() error) {
	m.t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for {
		err := f()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			m.t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// recorded waits until no record is unfinished: GitHub has a conclusion a moment before the record says so, and the pages
// go by the record.
func (m *machine) recorded() {
	m.t.Helper()
	m.eventually(func() error {
		keys, err := m.queue.Keys(m.t.Context(), queue.BucketJobs)
		if err != nil {
			return err
		}
		s := store{q: m.queue}
		for _, key := range keys {
			if r, _, err := s.load(m.t.Context(), key); err != nil || r.State != StateDone {
				return fmt.Errorf("record %s is %s: %w", key, r.State, err)
			}
		}
		return nil
	})
}

// delivered says whether every event so far was taken, at some attempt.
func (m *machine) delivered() error {
	taken := map[string]bool{}
	for _, d := range m.github.Deliveries() {
		taken[d.GUID] = taken[d.GUID] || d.OK()
	}
	for _, d := range m.github.Deliveries() {
		if !taken[d.GUID] {
			return fmt.Errorf("delivery %s is %s", d.GUID, d.Status)
		}
	}
	return nil
}

// completed waits for the one completed run of a commit.
func (m *machine) completed(sha string) standin.CheckRun {
	m.t.Helper()
	var run standin.CheckRun
	m.eventually(func() error {
		runs := m.github.CheckRunsFor(sha)
		if len(runs) != 1 {
			return fmt.Errorf("%d check runs for %.12s", len(runs), sha)
		}
		if run = runs[0]; run.Status != "completed" {
			return fmt.Errorf("check run of %.12s is %s: %s", sha, run.Status, run.Title)
		}
		return nil
	})
	return run
}

const clean, dirty = "def forward(x):\n    return x\n", "def forward(x):\n    return x.max().item()\n"

func TestWholeMachine(t *testing.T) { wholeMachine(t, newMachine(t)) }

// The same on the queue that serve uses.
func TestWholeMachineOnJetStream(t *testing.T) {
	q, err := queue.OpenEmbedded(t.Context(), queue.EmbeddedOptions{Dir: t.TempDir(), Pools: []string{"default"}, MaxBytes: queue.MinMaxBytes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Close() })
	wholeMachine(t, newMachineOn(t, q))
}

// The same with every request held against GitHub's own description of its API.
func TestRequestsAreWhatGitHubDescribes(t *testing.T) {
	description, err := openapi.Load(outside.OpenAPI(t))
	if err != nil {
		t.Fatal(err)
	}
	v := description.NewValidator()
	m := newMachine(t, v.Around(false))
	wholeMachine(t, m)
	sha := m.commit("many", "many.py", strings.Repeat(dirty, 130))
	m.open("many")
	run := m.completed(sha)
	m.eventually(func() error {
		if run = m.github.CheckRunsFor(sha)[0]; len(run.Annotations) != 130 {
			return fmt.Errorf("%d annotations", len(run.Annotations))
		}
		return nil
	})
	if err := m.github.Rerequest(m.ada, run.ID); err != nil {
		t.Fatal(err)
	}
	m.eventually(func() error {
		runs := m.github.CheckRunsFor(sha)
		if len(runs) != 2 || runs[1].Status != "completed" || len(runs[1].Annotations) != 130 {
			return fmt.Errorf("%d runs", len(runs))
		}
		return nil
	})
	for _, bad := range v.Violations() {
		t.Error(bad)
	}
	if v.Checked() < 30 {
		t.Errorf("only %d requests were looked at", v.Checked())
	}
}

func wholeMachine(t *testing.T, m *machine) {
	t.Helper()
	m.commit("main", "model.py", clean)
	first := m.repo.Head("main")
	if run := m.completed(first); run.Conclusion != "success" {
		t.Errorf("first commit: %s %s", run.Conclusion, run.Title)
	}

	// A hazard comes out as a failure with an annotation on its line.
	sha := m.commit("bad", "model.py", dirty)
	bad := m.open("bad")
	run := m.completed(sha)
	if run.Conclusion != "failure" || len(run.Annotations) != 1 || run.Annotations[0].StartLine != 2 || run.Annotations[0].Path != "model.py" {
		t.Errorf("run %+v", run)
	}
	if !strings.Contains(run.Title, "1 capture hazard: GB101 tensor-item in model.py:2") {
		t.Errorf("title %q", run.Title)
	}
	if got := strings.Join(run.History, " "); !strings.HasPrefix(got, "queued") {
		t.Errorf("history %s", got)
	}

	// Somebody merges it all the same; its fix is logged by a rolling pull request that passes without a job.
	if _, err := m.repo.Merge(t.Context(), m.ada, bad.Number); err != nil {
		t.Fatal(err)
	}
	m.completed(m.repo.Head("main"))
	sha = m.commit("good", "model.py", clean)
	good := m.open("good")
	if run := m.completed(sha); run.Conclusion != "success" {
		t.Errorf("fix: %s %s", run.Conclusion, run.Title)
	}
	fix, err := m.repo.Merge(t.Context(), m.ada, good.Number)
	if err != nil {
		t.Fatal(err)
	}
	log := m.logPull()
	if text := m.file(log.HeadSHA, "GATEBOT_FIXLOG.md"); !strings.Contains(text, fix[:7]) {
		t.Errorf("the fix log has no row for %s:\n%s", fix[:7], text)
	}
	if run := m.completed(log.HeadSHA); run.Conclusion != "success" || run.Title != "fix log only" {
		t.Errorf("fix log: %s %s", run.Conclusion, run.Title)
	}

	// Merged, it makes neither another job nor another entry.
	landed, err := m.repo.Merge(t.Context(), m.ada, log.Number)
	if err != nil {
		t.Fatal(err)
	}
	if run := m.completed(landed); run.Title != "fix log only" {
		t.Errorf("merged fix log: %s %s", run.Conclusion, run.Title)
	}
	// A second fix goes on a branch that starts anew.
	m.commit("main", "other.py", dirty)
	m.completed(m.repo.Head("main"))
	second := m.commit("main", "other.py", clean)
	m.completed(second)
	again := m.logPull()
	if again.Number == log.Number {
		t.Fatalf("pull request %d is merged and was used again", log.Number)
	}
	if text := m.file(again.HeadSHA, "GATEBOT_FIXLOG.md"); !strings.Contains(text, second[:7]) || !strings.Contains(text, fix[:7]) {
		t.Errorf("the fix log lacks a row:\n%s", text)
	}
}

// logPull waits for the open pull request of the fix log.
func (m *machine) logPull() standin.Pull {
	m.t.Helper()
	var pull standin.Pull
	m.eventually(func() error {
		for _, p := range m.repo.Pulls() {
			if p.HeadRef == logBranch && p.State == "open" {
				pull = p
				return nil
			}
		}
		return errors.New("no pull request for the fix log")
	})
	return pull
}

func (m *machine) file(rev, path string) string {
	m.t.Helper()
	r, err := git.Open(m.t.Context(), m.repo.Dir())
	if err != nil {
		m.t.Fatal(err)
	}
	data, err := git.ReadFile(m.t.Context(), r, rev, path)
	if err = errors.Join(err, r.Close()); err != nil {
		m.t.Fatal(err)
	}
	return string(data)
}

func TestMergeGroupAndRerun(t *testing.T) {
	m := newMachine(t)
	m.commit("main", "model.py", clean)
	sha := m.commit("topic", "new.py", clean)
	pull := m.open("topic")
	run := m.completed(sha)
	g, err := m.repo.Enqueue(t.Context(), m.ada, pull.Number)
	if err != nil {
		t.Fatal(err)
	}
	if run := m.completed(g.HeadSHA); run.Conclusion != "success" {
		t.Errorf("merge group: %s %s", run.Conclusion, run.Title)
	}
	if err := m.github.Rerequest(m.ada, run.ID); err != nil {
		t.Fatal(err)
	}
	m.eventually(func() error {
		runs := m.github.CheckRunsFor(sha)
		if len(runs) != 2 || runs[1].Status != "completed" {
			return fmt.Errorf("%d runs, the last is %s", len(runs), runs[len(runs)-1].Status)
		}
		return nil
	})
}

// GitHub at its worst, in turn: what comes out is the same.
func TestBadWeather(t *testing.T) {
	for _, tc := range []struct {
		name  string
		fault standin.Fault
	}{
		{"creation answered 502 though carried out", standin.Fault{Method: "POST", Path: "/repos/*/*/check-runs", Drop: true}},
		{"creation refused once", standin.Fault{Method: "POST", Path: "/repos/*/*/check-runs", Status: 500}},
		{"completion dropped after it was carried out", standin.Fault{Method: "PATCH", Path: "/repos/*/*/check-runs/*", Skip: 1, Drop: true}},
		{"secondary limit by 429", standin.Fault{Method: "PATCH", Path: "/repos/*/*/check-runs/*", Status: 429, RetryAfter: time.Second}},
		{"secondary limit by 403", standin.Fault{Method: "POST", Path: "/repos/*/*/check-runs", Status: 403, RetryAfter: time.Second}},
		{"no tokens for a moment", standin.Fault{Method: "POST", Path: "/app/installations/*/access_tokens", Status: 503, Times: 2}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.commit("main", "model.py", clean)
			m.completed(m.repo.Head("main"))
			m.github.Inject(tc.fault)
			sha := m.commit("bad", "model.py", dirty)
			m.open("bad")
			run := m.completed(sha)
			if run.Conclusion != "failure" || len(run.Annotations) != 1 {
				t.Errorf("%s with %d annotations", run.Conclusion, len(run.Annotations))
			}
		})
	}
}

func TestEventsInAnyOrderAndTwice(t *testing.T) {
	m := newMachine(t)
	m.commit("main", "model.py", clean)
	m.completed(m.repo.Head("main"))
	release := m.github.Hold()
	old := m.commit("topic", "model.py", dirty)
	m.open("topic")
	sha := m.commit("topic", "model.py", clean)
	release(func(ds []*standin.Delivery) { slices.Reverse(ds) })
	if run := m.completed(sha); run.Conclusion != "success" {
		t.Errorf("newest: %s %s", run.Conclusion, run.Title)
	}
	for _, d := range m.github.Deliveries() {
		if err := m.github.Redeliver(d.GUID); err != nil {
			t.Fatal(err)
		}
	}
	m.eventually(m.delivered)
	m.completed(sha)
	for _, run := range m.github.CheckRunsFor(old) {
		if run.Conclusion == "failure" || run.Conclusion == "success" {
			t.Errorf("stale head: %s %s", run.Conclusion, run.Title)
		}
	}
}

func TestRestart(t *testing.T) {
	m := newMachine(t)
	m.commit("main", "model.py", clean)
	m.completed(m.repo.Head("main"))
	m.github.Inject(standin.Fault{Method: "POST", Path: "/repos/*/*/check-runs", Status: 500, Times: 3})
	sha := m.commit("bad", "model.py", dirty)
	m.open("bad")
	m.eventually(m.delivered) // GitHub does not repeat by itself what found nobody at home
	m.stop()
	if err := m.server.listener.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the server still listens: %v", err)
	}
	m.start()
	if run := m.completed(sha); run.Conclusion != "failure" {
		t.Errorf("after the restart: %s %s", run.Conclusion, run.Title)
	}
}

// What GitHub sends while nobody is at home is asked for again.
func TestMissedWebhooks(t *testing.T) {
	m := newMachine(t)
	m.commit("main", "model.py", clean)
	m.completed(m.repo.Head("main"))
	m.stop()
	sha := m.commit("bad", "model.py", dirty)
	m.open("bad")
	m.eventually(func() error {
		for _, d := range m.github.Deliveries() {
			if !d.Done {
				return fmt.Errorf("delivery %s is under way", d.GUID)
			}
		}
		return nil
	})
	if len(m.github.CheckRunsFor(sha)) != 0 {
		t.Fatal("the server was not down")
	}
	m.start()
	if run := m.completed(sha); run.Conclusion != "failure" {
		t.Errorf("%s %s", run.Conclusion, run.Title)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	good := Options{Queue: queue.NewMemory(), GitHub: &fakeGitHub{}, Secrets: []string{secret}, Data: t.TempDir(), Addr: "127.0.0.1:0"}
	for name, spoil := range map[string]func(*Options){
		"no secret":     func(o *Options) { o.Secrets = nil },
		"no queue":      func(o *Options) { o.Queue = nil },
		"no GitHub":     func(o *Options) { o.GitHub = nil },
		"no data":       func(o *Options) { o.Data = "" },
		"no such place": func(o *Options) { o.Addr = "256.0.0.1:1" },
	} {
		o := good
		spoil(&o)
		if s, err := New(o); err == nil {
			_ = s.listener.Close()
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestDeliveryIsOnEveryLine(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(logHandler{slog.NewTextHandler(&out, nil)}).With("a", 1)
	log.InfoContext(withDelivery(t.Context(), queue.Event{Delivery: "d-9", Type: "push"}), "x")
	if !strings.Contains(out.String(), "delivery=d-9") {
		t.Error(out.String())
	}
}
