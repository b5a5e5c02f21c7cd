package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

// fuse stops a process in mid-work: the operation it is set to is cut off, before or after it had its effect, and every
// later one fails, as for a process that was killed.
type fuse struct {
	mu    sync.Mutex
	at    int  // operation that is cut off; 0: never
	after bool // it has its effect first
	count int
	blown bool
}

var errKilled = errors.New("killed")

// do runs one operation that has an effect.
func (f *fuse) do(op func() error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.blown {
		return errKilled
	}
	f.count++
	if f.count != f.at {
		return op()
	}
	f.blown = true
	if f.after {
		_ = op()
	}
	return errKilled
}

// fakeRun is a check run at the fake GitHub.
type fakeRun struct {
	github.Run
	Name, SHA, Title string
	Summary          string
	Completions      int
	History          []string // statuses
	Paths            []string // of annotations
}

// fakeGitHub is plain values behind the GitHub interface: a Value and an Error per question.
type fakeGitHub struct {
	fuse *fuse
	mu   sync.Mutex

	PullValue    map[int]github.Pull
	PullError    error
	PullsOfValue []github.Pull
	Level        string // permission of everybody without an entry in Levels
	Levels       map[string]string
	Reactions    []string
	Replies      []string
	Comments     []github.Comment
	Groups       []github.Ref
	Default      string // head of the default branch
	Attempts     []github.Delivery
	Since        time.Time // asked for
	Redelivered  []int64
	CreateError  error
	// CourtesyError is what a run that is completed at birth gets.
	CourtesyError error
	UpdateError   error
	Complete      error
	Runs          []*fakeRun
}

func (g *fakeGitHub) ID() int64                             { return 5 }
func (g *fakeGitHub) Login(context.Context) (string, error) { return "gatebot-test[bot]", nil }
func (g *fakeGitHub) GitToken(context.Context, github.Repo) (string, error) {
	return "token", nil
}

func (g *fakeGitHub) PushToken(context.Context, github.Repo) (string, error) { return "token", nil }

func (g *fakeGitHub) Pull(_ context.Context, _ github.Repo, n int) (github.Pull, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if p, ok := g.PullValue[n]; ok {
		return p, g.PullError
	}
	return github.Pull{}, errors.Join(g.PullError, github.ErrGone)
}

func (g *fakeGitHub) PullsOfCommit(context.Context, github.Repo, string) ([]github.Pull, error) {
	return g.PullsOfValue, nil
}

func (g *fakeGitHub) Permission(_ context.Context, _ github.Repo, login string) (string, error) {
	if l, ok := g.Levels[login]; ok {
		return l, nil
	}
	return g.Level, nil
}

func (g *fakeGitHub) Deliveries(_ context.Context, since time.Time) ([]github.Delivery, error) {
	g.Since = since
	return g.Attempts, nil
}

func (g *fakeGitHub) Redeliver(_ context.Context, id int64) error {
	g.Redelivered = append(g.Redelivered, id)
	return nil
}

// CreateRun is as little idempotent as GitHub's.
func (g *fakeGitHub) CreateRun(_ context.Context, _ github.Repo, n github.NewRun) (run github.Run, err error) {
	err = g.fuse.do(func() error {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.CreateError != nil {
			return g.CreateError
		}
		if n.Conclusion != "" && g.CourtesyError != nil {
			return g.CourtesyError
		}
		r := &fakeRun{Name: n.Name, SHA: n.SHA, Title: n.Output.Title, History: []string{n.Status}}
		r.ID, r.ExternalID, r.Status, r.Conclusion = int64(100+len(g.Runs)), n.ExternalID, n.Status, string(n.Conclusion)
		if n.Conclusion != "" {
			r.Status = github.StatusCompleted
		}
		g.Runs = append(g.Runs, r)
		run = r.Run
		return nil
	})
	return run, err
}

func (g *fakeGitHub) FindRun(_ context.Context, _ github.Repo, sha, name, external string) (github.Run, bool, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.CreateError != nil {
		return github.Run{}, false, g.CreateError
	}
	for _, r := range g.Runs {
		if r.SHA == sha && r.Name == name && r.ExternalID == external {
			return r.Run, true, nil
		}
	}
	return github.Run{}, false, nil
}

func (g *fakeGitHub) run(id int64) *fakeRun {
	for _, r := range g.Runs {
		if r.ID == id {
			return r
		}
	}
	return nil
}

func (g *fakeGitHub) UpdateRun(_ context.Context, _ github.Repo, ref github.RunRef, status string, out github.Output) error {
	return g.fuse.do(func() error {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.UpdateError != nil {
			return g.UpdateError
		}
		r := g.run(ref.ID)
		r.Status, r.Title, r.History = status, out.Title, append(r.History, status)
		return nil
	})
}

func (g *fakeGitHub) CompleteRun(_ context.Context, _ github.Repo, ref github.RunRef, c github.Completion) error {
	return g.fuse.do(func() error {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.Complete != nil {
			return g.Complete
		}
		r := g.run(ref.ID)
		if r == nil {
			return github.ErrGone
		}
		if r.Status == github.StatusCompleted && r.Conclusion == string(c.Conclusion) {
			return nil
		}
		r.Status, r.Conclusion, r.Title, r.Summary = github.StatusCompleted, string(c.Conclusion), c.Output.Title, c.Output.Summary
		r.Completions++
		r.add(c, 1)
		return nil
	})
}

// add appends up to the n-th group of 50 annotations.
func (r *fakeRun) add(c github.Completion, groups int) {
	for _, a := range c.Annotations[min(len(r.Paths), len(c.Annotations)):min(len(c.Annotations), 50*groups)] {
		r.Paths = append(r.Paths, a.Path)
	}
}

func (g *fakeGitHub) AppendAnnotations(_ context.Context, _ github.Repo, ref github.RunRef, c github.Completion) error {
	return g.fuse.do(func() error {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.run(ref.ID).add(c, 1000)
		return nil
	})
}

func (g *fakeGitHub) React(_ context.Context, _ github.Repo, comment int64, reaction string) error {
	g.Reactions = append(g.Reactions, fmt.Sprint(comment, " ", reaction))
	return nil
}

func (g *fakeGitHub) Reply(_ context.Context, _ github.Repo, pr int, body string) error {
	g.Replies = append(g.Replies, body)
	return nil
}

func (g *fakeGitHub) CommentsSince(context.Context, github.Repo, time.Time) ([]github.Comment, error) {
	return g.Comments, nil
}

func (g *fakeGitHub) Repositories(context.Context) ([]github.Known, error) {
	return []github.Known{{Repo: github.Repo{Installation: 3, ID: 77, Owner: "o", Name: "r"}, CloneURL: "https://github.com/o/r.git", Default: "main"}}, nil
}

func (g *fakeGitHub) RepositoriesOf(ctx context.Context, _ int64) ([]github.Known, error) {
	return g.Repositories(ctx)
}

func (g *fakeGitHub) OpenPulls(context.Context, github.Repo) ([]github.Pull, error) {
	var out []github.Pull
	for _, p := range g.PullValue {
		if p.Open {
			out = append(out, p)
		}
	}
	return out, nil
}

func (g *fakeGitHub) QueueBranches(context.Context, github.Repo) ([]github.Ref, error) {
	return g.Groups, nil
}

func (g *fakeGitHub) Unfinished(_ context.Context, _ github.Repo, sha string) ([]github.Run, error) {
	var out []github.Run
	for _, r := range g.Runs {
		if r.SHA == sha && r.Status != github.StatusCompleted {
			out = append(out, r.Run)
		}
	}
	return out, nil
}

func (g *fakeGitHub) BranchHead(context.Context, github.Repo, string) (string, error) {
	if g.Default == "" {
		return "", github.ErrGone
	}
	return g.Default, nil
}
func (g *fakeGitHub) PointBranch(context.Context, github.Repo, string, string) error { return nil }
func (g *fakeGitHub) CommitOnBranch(context.Context, github.Repo, github.BranchCommit) (string, error) {
	return "", nil
}

func (g *fakeGitHub) EnsurePull(context.Context, github.Repo, string, string, github.PullText) (int, error) {
	return 0, nil
}

func (g *fakeGitHub) HasOpenPull(context.Context, github.Repo, string, string) (bool, error) {
	return false, nil
}

// fakeMirrors is a repository in a few maps.
type fakeMirrors struct {
	fuse       *fuse
	FetchError error
	Refs       map[string]string // ref → commit
	Files      map[string]string // commit:path → content
	Diff       []string
	Base       string // merge base of everything
	Trees      map[string]string
}

func (m *fakeMirrors) Fetch(_ context.Context, _ queue.Repo, refs ...string) (string, error) {
	return "mirror", m.fuse.do(func() error {
		for _, ref := range refs {
			if m.Refs[ref] == "" {
				return fmt.Errorf("%s: %w", ref, ErrNoRef)
			}
		}
		return m.FetchError
	})
}

func (m *fakeMirrors) Push(context.Context, queue.Repo, string) error { return nil }

func (m *fakeMirrors) Resolve(_ context.Context, _, rev string) (string, error) {
	for ref, id := range m.Refs {
		if rev == ref || rev == id {
			return id, nil
		}
	}
	return "", git.ErrNotFound
}

func (m *fakeMirrors) Tree(_ context.Context, _, commit string) (string, error) {
	if t, ok := m.Trees[commit]; ok {
		return t, nil
	}
	return "tree-" + commit, nil
}

func (m *fakeMirrors) MergeBase(context.Context, string, string, string) (string, error) {
	return m.Base, nil
}

func (m *fakeMirrors) ReadFile(_ context.Context, _, commit, path string) ([]byte, bool, error) {
	s, ok := m.Files[commit+":"+path]
	if !ok {
		return nil, false, nil
	}
	return []byte(s), true, nil
}

func (m *fakeMirrors) Changed(context.Context, string, string, string) ([]string, error) {
	return m.Diff, nil
}

// fusedQueue cuts the queue's writes.
type fusedQueue struct {
	*queue.Memory
	fuse *fuse
}

func (q *fusedQueue) Publish(ctx context.Context, s queue.Stream, sub, id string, data []byte) (dup bool, err error) {
	err = q.fuse.do(func() error { dup, err = q.Memory.Publish(ctx, s, sub, id, data); return err })
	return dup, err
}

func (q *fusedQueue) Create(ctx context.Context, bucket, key string, v []byte) (rev uint64, err error) {
	err = q.fuse.do(func() error { rev, err = q.Memory.Create(ctx, bucket, key, v); return err })
	return rev, err
}

func (q *fusedQueue) Update(ctx context.Context, bucket, key string, v []byte, was uint64) (rev uint64, err error) {
	err = q.fuse.do(func() error { rev, err = q.Memory.Update(ctx, bucket, key, v, was); return err })
	return rev, err
}

func (q *fusedQueue) PutBlob(ctx context.Context, name string, r io.Reader) error {
	return q.fuse.do(func() error { return q.Memory.PutBlob(ctx, name, r) })
}

func (q *fusedQueue) DeleteBlob(ctx context.Context, name string) error {
	return q.fuse.do(func() error { return q.Memory.DeleteBlob(ctx, name) })
}

// world is everything outside the server's process: it survives when that is killed.
type world struct {
	t       *testing.T
	fuse    *fuse
	queue   *fusedQueue
	gh      *fakeGitHub
	mirrors *fakeMirrors
	bundle  Bundle
	policy  Policy
	clock   time.Time
	pools   map[string][]string
	inspect Inspect
	*planner
}

func newWorld(t *testing.T) *world {
	t.Helper()
	f := &fuse{}
	w := &world{
		t: t, fuse: f, queue: &fusedQueue{queue.NewMemory(), f},
		gh: &fakeGitHub{fuse: f, Level: "write", PullValue: map[int]github.Pull{7: {Number: 7, Open: true, Head: head, HeadRepo: 77, Base: base, BaseRef: "main"}}},
		mirrors: &fakeMirrors{
			fuse: f, Base: base, Diff: []string{"model.py"},
			Refs: map[string]string{"refs/pull/7/head": head, "refs/heads/main": base, "base": base},
		},
		bundle: func(_ context.Context, _, head, _ string, out io.Writer) error {
			_, err := io.WriteString(out, "bundle of "+head)
			return err
		},
		policy: DefaultPolicy(), clock: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	w.start()
	return w
}

// start is a new process.
func (w *world) start() {
	w.fuse.mu.Lock()
	w.fuse.blown = false
	w.fuse.mu.Unlock()
	w.planner = &planner{
		store: store{q: w.queue}, gh: w.gh, mirrors: w.mirrors, bundle: w.bundle, parse: config.Load, policy: w.policy,
		tmp: w.t.TempDir(), pools: w.pools, log: quiet(), now: func() time.Time { return w.clock }, inspect: w.inspect,
		scans: make(chan struct{}, 1), metrics: newMetrics(),
	}
}

// event makes one; each has a delivery of its own and is received now.
func (w *world) event(kind, payload string) (queue.Event, Trigger) {
	w.t.Helper()
	t, err := Parse(kind, []byte(payload))
	if err != nil {
		w.t.Fatal(err)
	}
	w.clock = w.clock.Add(time.Second)
	return queue.Event{Delivery: fmt.Sprint("d-", w.clock.Unix()), Type: kind, Received: w.clock, Payload: json.RawMessage(payload)}, t
}

// plan handles an event, which must work.
func (w *world) plan(kind, payload string) {
	w.t.Helper()
	ev, t := w.event(kind, payload)
	if err := w.Plan(w.t.Context(), ev, t); err != nil {
		w.t.Fatal(err)
	}
}

// jobs takes what runners would get now.
func (w *world) jobs() []queue.Job {
	w.t.Helper()
	var jobs []queue.Job
	for {
		ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Millisecond)
		m, err := w.queue.Next(ctx, queue.Jobs, queue.Consumer{Name: "runner", Lease: time.Hour, MaxInFlight: 100})
		cancel()
		if err != nil {
			return jobs
		}
		var j queue.Job
		if err := json.Unmarshal(m.Data(), &j); err != nil {
			w.t.Fatal(err)
		}
		if err := m.Ack(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
		jobs = append(jobs, j)
	}
}

// result is what a runner sends for a job.
func result(j queue.Job, v finding.Verdict, findings int) queue.Result {
	r := finding.Results{Schema: finding.Schema, Verdict: v, Commit: j.Head, Tree: j.Tree, Reasons: []string{"because"}}
	for i := range findings {
		r.Findings = append(r.Findings, finding.Finding{
			Rule: "GB101", Name: "tensor-item", Severity: finding.Error, Confidence: finding.Likely,
			Path: fmt.Sprintf("f%03d.py", i), Line: 14, Fingerprint: fmt.Sprint(i), Message: "m",
		})
	}
	data, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	return queue.Result{
		JobID: j.ID, Key: j.Key, Attempt: j.Attempt, Epoch: 1, Runner: "r1", Class: queue.ClassVerdict, Results: data,
	}
}

func (w *world) give(r queue.Result) error {
	w.t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.handleResult(w.t.Context(), r.Runner, data)
}

// shows says what GitHub shows for every check run: "sha conclusion title".
func (w *world) shows() []string {
	var out []string
	for _, r := range w.gh.Runs {
		what := r.Conclusion
		if r.Status != github.StatusCompleted {
			what = r.Status
		}
		out = append(out, fmt.Sprintf("%.2s %s %s", r.SHA, what, r.Title))
	}
	return out
}

func (w *world) want(want ...string) {
	w.t.Helper()
	if got := w.shows(); !slices.Equal(got, want) {
		w.t.Errorf("GitHub shows\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}
