package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
	"github.com/gatebot/gatebot/webhook/standin"
)

// inProcess reaches the stand-in without a network, whose waits would stop the clock of a synctest bubble.
type inProcess struct{ h http.Handler }

func (t inProcess) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	w := httptest.NewRecorder()
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler: // the stand-in dropped the connection
			resp, err = nil, io.ErrUnexpectedEOF
		default:
			panic(p)
		}
	}()
	in := req.Clone(req.Context()) // the stand-in changes it
	if in.Body == nil {
		in.Body = http.NoBody
	}
	t.h.ServeHTTP(w, in)
	resp = w.Result()
	resp.Request = req
	return resp, nil
}

// standinMirrors are the repositories of the stand-in, without a fetch.
type standinMirrors struct{ repo *standin.Repository }

func (m standinMirrors) Fetch(context.Context, queue.Repo, ...string) (string, error) { return "", nil }
func (m standinMirrors) Push(context.Context, queue.Repo, string) error               { return nil }
func (m standinMirrors) Resolve(_ context.Context, _, rev string) (string, error) {
	var n int
	if _, err := fmt.Sscanf(rev, "refs/pull/%d/head", &n); err == nil {
		for _, p := range m.repo.Pulls() {
			if p.Number == n {
				return p.HeadSHA, nil
			}
		}
	}
	if b, ok := strings.CutPrefix(rev, "refs/heads/"); ok {
		return m.repo.Head(b), nil
	}
	return rev, nil
}
func (m standinMirrors) Tree(_ context.Context, _, commit string) (string, error) {
	return "tree-" + commit, nil
}
func (m standinMirrors) MergeBase(context.Context, string, string, string) (string, error) {
	return m.repo.Head("main"), nil
}
func (m standinMirrors) ReadFile(context.Context, string, string, string) ([]byte, bool, error) {
	return nil, false, nil
}
func (m standinMirrors) Changed(context.Context, string, string, string) ([]string, error) {
	return []string{"model.py"}, nil
}

// TestOutage is thirty minutes without GitHub, first 5xx and then 429, while pull requests are opened and pushed to; the
// clock is a pretended one. In the end every newest head has its one verdict, and GitHub was never pressed: its limits are
// counted on every request. GATEBOT_BURST is the number of updates (1,000 in `make chaos`).
func TestOutage(t *testing.T) {
	updates := 90
	if s := os.Getenv("GATEBOT_BURST"); s != "" {
		var err error
		if updates, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	key, err := appKey()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		gh, err := standin.New(standin.Options{Dir: dir, AppID: 5, AppKey: &key.PublicKey, Secret: secret})
		if err != nil {
			t.Fatal(err)
		}
		repo, err := gh.CreateRepository(ctx, "o", "r")
		if err != nil {
			t.Fatal(err)
		}
		ada := gh.AddUser("ada", "ada-token-1234")
		commit := func(branch string, n int) {
			t.Helper()
			if _, err := repo.Commit(ctx, ada, branch, fmt.Sprint(branch, n), standin.Change{Path: branch + ".py", Content: fmt.Appendf(nil, "n = %d\n", n)}); err != nil {
				t.Fatal(err)
			}
		}
		commit("main", 0)
		app, err := github.New(github.Options{AppID: 5, Key: key, BaseURL: gh.URL() + "/api/v3/", Transport: inProcess{gh}, MaxSleep: 20 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		q, policy := queue.NewMemory(), DefaultPolicy()
		policy.Families = false
		s := &Server{
			opts: Options{Queue: q, GitHub: app, Lease: 10 * time.Second, Sweep: time.Minute, Present: 10 * time.Minute, Backoff: DefaultBackoff, Log: quiet(), Now: time.Now, Policy: &policy},
			planner: &planner{
				store: store{q: q}, gh: app, mirrors: standinMirrors{repo}, parse: config.Load, policy: policy, tmp: dir, log: quiet(), now: time.Now,
				bundle: func(_ context.Context, _, head, _ string, w io.Writer) error {
					_, err := io.WriteString(w, head)
					return err
				},
				scans: make(chan struct{}, 1),
			},
		}
		v, err := newVerifier([]string{secret})
		if err != nil {
			t.Fatal(err)
		}
		intake := newIntake(v, q, quiet(), time.Now).handler()
		var wg sync.WaitGroup
		for _, l := range s.lanes() {
			wg.Go(func() { l.run(ctx, ctx) })
		}
		wg.Go(func() { s.sweeping(ctx, ctx) })
		wg.Go(func() { s.presenting(ctx) })
		for i := range 4 {
			wg.Go(func() { pretendRunner(ctx, t, q, fmt.Sprint("r", i)) })
		}

		// The outage: twenty minutes of 502, then ten of 429 with a minute to wait each.
		gh.Inject(standin.Fault{Status: http.StatusBadGateway, Times: -1})
		began, sent := time.Now(), 0
		limited := time.AfterFunc(20*time.Minute, func() {
			gh.Heal()
			gh.Inject(standin.Fault{Status: http.StatusTooManyRequests, RetryAfter: time.Minute, Times: -1})
		})
		defer limited.Stop()
		pulls := max(updates/4, 1)
		for n := range updates {
			branch := fmt.Sprint("topic-", n%pulls)
			commit(branch, n)
			if n < pulls {
				if _, err := repo.OpenPull(ctx, ada, standin.NewPull{Title: branch, Head: branch}); err != nil {
					t.Fatal(err)
				}
			}
			for _, d := range gh.Deliveries()[sent:] {
				sent++
				req := httptest.NewRequest(http.MethodPost, "/webhook", strings.NewReader(string(d.Body)))
				req.Header = http.Header{"Content-Type": {"application/json"}, "X-Github-Event": {d.Event}, "X-Github-Delivery": {d.GUID}, "X-Hub-Signature-256": {standin.Sign(secret, d.Body)}}
				w := httptest.NewRecorder()
				intake.ServeHTTP(w, req)
				if w.Code != http.StatusAccepted {
					t.Fatalf("webhook answered %d", w.Code)
				}
			}
			time.Sleep(30 * time.Minute / time.Duration(updates))
		}
		time.Sleep(time.Until(began.Add(30 * time.Minute)))
		gh.Heal()
		over := time.Now()

		done := func() bool {
			for _, p := range repo.Pulls() {
				runs := gh.CheckRunsFor(p.HeadSHA)
				if len(runs) == 0 || runs[0].Status != "completed" {
					return false
				}
			}
			return true
		}
		for !done() {
			time.Sleep(time.Minute)
			if time.Since(over) > 24*time.Hour {
				for _, p := range repo.Pulls() {
					t.Logf("#%d %.7s: %+v", p.Number, p.HeadSHA, gh.CheckRunsFor(p.HeadSHA))
				}
				t.Fatal("not all done after 24 hours")
			}
		}
		took := time.Since(over)
		time.Sleep(20 * time.Minute) // whatever would still come
		stop()
		wg.Wait()
		for _, p := range repo.Pulls() {
			if runs := gh.CheckRunsFor(p.HeadSHA); len(runs) != 1 || runs[0].Conclusion != "success" {
				t.Errorf("#%d: %d runs, %+v", p.Number, len(runs), runs)
			}
		}
		for _, run := range gh.CheckRuns() {
			if run.Status != "completed" {
				t.Errorf("run %d of %.7s is left %s", run.ID, run.HeadSHA, run.Status)
			}
		}
		counted := count(gh.Requests())
		t.Logf("%d updates of %d pull requests, all done %s after the outage: %s", updates, pulls, took, counted)
		for _, why := range counted.tooMuch() {
			t.Error(why)
		}
	})
}

// pretendRunner takes jobs and says after 20 s that they are fine.
func pretendRunner(ctx context.Context, t *testing.T, q *queue.Memory, name string) {
	for {
		m, err := q.Try(ctx, queue.Jobs, queue.JobConsumers("default")...)
		if err != nil {
			return
		}
		if m == nil {
			if pause(ctx, time.Second); ctx.Err() != nil {
				return
			}
			continue
		}
		var j queue.Job
		if err := json.Unmarshal(m.Data(), &j); err != nil {
			t.Error(err)
			return
		}
		pause(ctx, 20*time.Second)
		r := result(j, finding.VerdictPass, 0)
		r.Runner = name
		data, err := json.Marshal(r)
		if err != nil {
			t.Error(err)
			return
		}
		if _, err := q.Publish(ctx, queue.Results, name, j.ID, data); err != nil {
			return
		}
		if err := m.Ack(ctx); err != nil {
			return
		}
	}
}

// pressure is what GitHub saw, as it counts.
type pressure struct {
	requests, failed, limited          int
	contentMinute, contentHour, points int // at most, in any minute or hour
	againstWord                        int // sent while the answer before had asked for silence
}

func (p pressure) String() string {
	return fmt.Sprintf("%d requests, %d answered 5xx, %d by a limit, %d sent during a silence that was asked for; at most %d content-creating ones a minute and %d an hour, %d points a minute",
		p.requests, p.failed, p.limited, p.againstWord, p.contentMinute, p.contentHour, p.points)
}

// tooMuch holds it against the documented limits.
func (p pressure) tooMuch() (why []string) {
	for _, c := range []struct {
		what       string
		got, limit int
	}{
		{"content-creating requests a minute", p.contentMinute, 80}, {"content-creating requests an hour", p.contentHour, 500},
		{"points a minute", p.points, 900}, {"requests against GitHub's word", p.againstWord, 60}, {"answers by a limit", p.limited, 120},
		{"requests that failed", p.failed, 1500},
	} {
		if c.got > c.limit {
			why = append(why, fmt.Sprintf("%d %s, at most %d are wise", c.got, c.what, c.limit))
		}
	}
	return why
}

func count(rs []standin.Request) (p pressure) {
	slices.SortStableFunc(rs, func(a, b standin.Request) int { return a.At.Compare(b.At) })
	var silent time.Time
	for i, r := range rs {
		p.requests++
		if r.At.Before(silent) {
			p.againstWord++
		}
		switch {
		case r.Status == http.StatusTooManyRequests || r.Status == http.StatusForbidden:
			p.limited++
			if !r.At.Before(silent) {
				silent = r.At.Add(time.Minute)
			}
		case r.Status >= 500 || r.Status == 0:
			p.failed++
		}
		content, minute, points := 0, 0, 0
		for j := i; j >= 0 && r.At.Sub(rs[j].At) < time.Hour; j-- {
			creates := rs[j].Method != http.MethodGet && !strings.HasPrefix(rs[j].Path, "/app/")
			if creates {
				content++
			}
			if r.At.Sub(rs[j].At) < time.Minute {
				points++
				if creates {
					minute++
					points += 4
				}
			}
		}
		p.contentHour, p.contentMinute, p.points = max(p.contentHour, content), max(p.contentMinute, minute), max(p.points, points)
	}
	return p
}
