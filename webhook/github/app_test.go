package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// hub is a little GitHub: one handler, tokens handed out, requests written down.
type hub struct {
	*httptest.Server
	mu       sync.Mutex
	requests []string // method path?query
	bodies   []string
}

func newHub(t *testing.T, h http.HandlerFunc) (*hub, *App) {
	t.Helper()
	s := &hub{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.requests = append(s.requests, r.Method+" "+r.URL.RequestURI())
		s.bodies = append(s.bodies, string(body))
		s.mu.Unlock()
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		if strings.HasSuffix(r.URL.Path, "/access_tokens") && !strings.HasPrefix(r.URL.Path, "/app/installations/9/") {
			w.WriteHeader(http.StatusCreated)
			_, _ = fmt.Fprintf(w, `{"token":"ghs_x","expires_at":%q}`, time.Now().Add(time.Hour).Format(time.RFC3339))
			return
		}
		h(w, r)
	}))
	t.Cleanup(s.Close)
	app, err := New(Options{AppID: 5, Key: testKey(), BaseURL: s.URL, MaxSleep: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return s, app
}

func (s *hub) count(prefix string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, r := range s.requests {
		if strings.HasPrefix(r, prefix) {
			n++
		}
	}
	return n
}

var repo = Repo{Installation: 3, ID: 77, Owner: "o", Name: "r"}

func TestErrorsAreTold(t *testing.T) {
	soon := fmt.Sprint(time.Now().Add(10 * time.Minute).Unix())
	for _, tc := range []struct {
		name   string
		status int
		header map[string]string
		body   string
		want   error         // sentinel
		after  time.Duration // for a rate limit: at least this
	}{
		{"unknown commit", 422, nil, `{"message":"No commit found for SHA: abc"}`, ErrNotYet, 0},
		{"repository gone", 404, nil, `{"message":"Not Found"}`, ErrNotYet, 0},
		{"server error", 502, nil, `bad gateway`, ErrTransient, 0},
		{"no permission", 403, nil, `{"message":"Resource not accessible by integration"}`, ErrDenied, 0},
		{"bad credentials", 401, nil, `{"message":"Bad credentials"}`, ErrDenied, 0},
		{"primary 403", 403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": soon}, `{"message":"API rate limit exceeded"}`, nil, 8 * time.Minute},
		{"primary 429", 429, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": soon}, `{"message":"API rate limit exceeded"}`, nil, 8 * time.Minute},
		{"secondary 403", 403, map[string]string{"Retry-After": "120"}, `{"message":"You have exceeded a secondary rate limit"}`, nil, 110 * time.Second},
		{"secondary 429", 429, map[string]string{"Retry-After": "120"}, `{"message":"You have exceeded a secondary rate limit"}`, nil, 110 * time.Second},
		{"429 without a word", 429, nil, ``, nil, 50 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, app := newHub(t, func(w http.ResponseWriter, _ *http.Request) {
				for k, v := range tc.header {
					w.Header().Set(k, v)
				}
				w.WriteHeader(tc.status)
				_, _ = io.WriteString(w, tc.body)
			})
			_, err := app.CreateRun(t.Context(), repo, NewRun{Name: "gatebot", SHA: "abc", ExternalID: "k.1", Status: StatusQueued})
			if tc.want != nil {
				if !errors.Is(err, tc.want) {
					t.Errorf("%v, want %v", err, tc.want)
				}
				return
			}
			var limit *RateLimitedError
			if !errors.As(err, &limit) || limit.After < tc.after {
				t.Errorf("%v, want a rate limit of %s or more", err, tc.after)
			}
		})
	}
}

func TestTokenFailureIsTold(t *testing.T) {
	_, app := newHub(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	_, err := app.Pull(t.Context(), Repo{Installation: 9, ID: 1, Owner: "o", Name: "r"}, 1)
	var limit *RateLimitedError
	if !errors.As(err, &limit) || limit.After < 25*time.Second {
		t.Errorf("%v, want a rate limit of 30 s", err)
	}
}

func TestNetworkFailureIsTransient(t *testing.T) {
	hub, app := newHub(t, func(http.ResponseWriter, *http.Request) {})
	hub.Close()
	if _, err := app.Pull(t.Context(), repo, 1); !errors.Is(err, ErrTransient) {
		t.Errorf("%v, want ErrTransient", err)
	}
}

// A POST that meets a short secondary limit is sent again with its body (gofri alone sends an empty one).
func TestShortLimitIsSleptThrough(t *testing.T) {
	var mu sync.Mutex
	first := true
	hub, app := newHub(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if first {
			first = false
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"message":"You have exceeded a secondary rate limit"}`)
			return
		}
		body, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(body), `"head_sha":"abc"`) {
			t.Errorf("second request has body %q", body)
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"id":12}`)
	})
	run, err := app.CreateRun(t.Context(), repo, NewRun{Name: "gatebot", SHA: "abc", ExternalID: "k.1", Status: StatusQueued})
	if err != nil || run.ID != 12 {
		t.Fatalf("run %+v, error %v", run, err)
	}
	if n := hub.count("POST /repos/o/r/check-runs"); n != 2 {
		t.Errorf("%d creations sent, want 2", n)
	}
}

func TestFindRunLooksAtAllPages(t *testing.T) {
	hub, app := newHub(t, func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("filter") != "all" || q.Get("check_name") != "gatebot" || q.Get("app_id") != "5" {
			t.Errorf("query %q", r.URL.RawQuery)
		}
		if q.Get("page") == "" {
			w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?page=2>; rel="next"`, r.Host, r.URL.Path))
			_, _ = io.WriteString(w, `{"total_count":2,"check_runs":[{"id":1,"external_id":"other"}]}`)
			return
		}
		_, _ = io.WriteString(w, `{"total_count":2,"check_runs":[{"id":2,"external_id":"k.1","status":"completed"}]}`)
	})
	run, found, err := app.FindRun(t.Context(), repo, "abc", "gatebot", "k.1")
	if err != nil || !found || run.ID != 2 {
		t.Errorf("run %+v found %v error %v", run, found, err)
	}
	if n := hub.count("GET /repos/o/r/commits/abc/check-runs"); n != 2 {
		t.Errorf("%d pages read, want 2", n)
	}
}

// runServer keeps one check run with GitHub's append-only annotations and its limit of 50.
type runServer struct {
	mu         sync.Mutex
	status     string
	conclusion string
	paths      []string
	perRequest []int
	failPatch  int // the n-th PATCH is applied and then answered 502
	patches    int
}

func (s *runServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method == http.MethodPatch {
		var in struct {
			Status, Conclusion string
			Output             struct {
				Title, Summary string
				Annotations    []struct{ Path string }
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Output.Annotations) > 50 || in.Output.Summary == "" {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		if in.Conclusion != "" {
			s.status, s.conclusion = "completed", in.Conclusion
		}
		for _, a := range in.Output.Annotations {
			s.paths = append(s.paths, a.Path)
		}
		s.perRequest = append(s.perRequest, len(in.Output.Annotations))
		s.patches++
		if s.patches == s.failPatch {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
	}
	_, _ = fmt.Fprintf(w, `{"id":12,"status":%q,"conclusion":%q,"output":{"annotations_count":%d}}`, s.status, s.conclusion, len(s.paths))
}

func TestAnnotationsResume(t *testing.T) {
	for _, tc := range []struct {
		name      string
		n         int
		failPatch int
		want      int
	}{
		{"none", 0, 0, 0},
		{"one request", 50, 0, 50},
		{"three requests", 120, 0, 120},
		{"completion answered ambiguously", 120, 1, 120},
		{"second request answered ambiguously", 160, 2, 160},
		{"capped", 333, 3, MaxAnnotations},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &runServer{status: "in_progress", failPatch: tc.failPatch}
			_, app := newHub(t, s.ServeHTTP)
			c := Completion{Conclusion: Failure, Output: Output{Title: "t", Summary: "s"}}
			for i := range tc.n {
				c.Annotations = append(c.Annotations, Annotation{Path: fmt.Sprint("f", i), StartLine: 1, Level: LevelFailure, Message: "m"})
			}
			finish := func(ctx context.Context) error {
				if err := app.CompleteRun(ctx, repo, RunRef{ID: 12, Name: "gatebot"}, c); err != nil {
					return err
				}
				return app.AppendAnnotations(ctx, repo, RunRef{ID: 12, Name: "gatebot"}, c)
			}
			tries := 0
			for finish(t.Context()) != nil {
				if tries++; tries > 3 {
					t.Fatal("does not come to an end")
				}
			}
			if err := finish(t.Context()); err != nil { // and once more, as after a crash
				t.Fatal(err)
			}
			if s.conclusion != "failure" {
				t.Errorf("conclusion %q", s.conclusion)
			}
			if len(s.paths) != tc.want {
				t.Fatalf("%d annotations, want %d", len(s.paths), tc.want)
			}
			for i, p := range s.paths {
				if p != fmt.Sprint("f", i) {
					t.Fatalf("annotation %d is %s", i, p)
				}
			}
			if s.perRequest[0] != min(tc.n, 50) {
				t.Errorf("the completing request carried %d annotations", s.perRequest[0])
			}
		})
	}
}

func TestCommitOnBranch(t *testing.T) {
	for _, tc := range []struct {
		name, answer string
		want         error
		oid          string
	}{
		{"made", `{"data":{"createCommitOnBranch":{"commit":{"oid":"c0ffee"}}}}`, nil, "c0ffee"},
		{"stale", `{"data":{"createCommitOnBranch":null},"errors":[{"type":"STALE_DATA","message":"Expected branch to point to \"a\" but it did not."}]}`, ErrHeadMoved, ""},
		{"missing", `{"errors":[{"type":"NOT_FOUND","message":"Could not resolve"}]}`, ErrGone, ""},
		{"empty", `{"data":{}}`, ErrTransient, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			hub, app := newHub(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, tc.answer) })
			oid, err := app.CommitOnBranch(t.Context(), repo, BranchCommit{
				Branch: "gatebot/fix-log", ExpectedHead: "aa", Headline: "Fix log", Files: map[string][]byte{"L.md": []byte("hi\n")},
			})
			if oid != tc.oid || !errors.Is(err, tc.want) {
				t.Errorf("oid %q, error %v, want %v", oid, err, tc.want)
			}
			if n := hub.count("POST /graphql"); n != 1 {
				t.Errorf("%d GraphQL requests", n)
			}
			last := hub.bodies[len(hub.bodies)-1]
			for _, want := range []string{`"expectedHeadOid":"aa"`, `"contents":"aGkK"`, `"repositoryNameWithOwner":"o/r"`} {
				if !strings.Contains(last, want) {
					t.Errorf("body %s lacks %s", last, want)
				}
			}
		})
	}
}

func TestGitTokenIsNarrow(t *testing.T) {
	hub, app := newHub(t, func(http.ResponseWriter, *http.Request) {})
	tok, err := app.GitToken(t.Context(), repo)
	if err != nil || tok != "ghs_x" {
		t.Fatalf("token %q, error %v", tok, err)
	}
	if got, want := strings.TrimSpace(hub.bodies[0]), `{"repository_ids":[77],"permissions":{"contents":"read"}}`; got != want {
		t.Errorf("asked for %s, want %s", got, want)
	}
}

func TestOptions(t *testing.T) {
	for _, tc := range []struct{ base, graphql string }{
		{"", "https://api.github.com/graphql"},
		{"https://ghe.example/api/v3", "https://ghe.example/api/graphql"},
		{"http://127.0.0.1:99/x/", "http://127.0.0.1:99/x/graphql"},
	} {
		a, err := New(Options{AppID: 1, Key: testKey(), BaseURL: tc.base})
		if err != nil || a.graphql != tc.graphql {
			t.Errorf("%q: %q, %v", tc.base, a.graphql, err)
		}
	}
	for _, o := range []Options{{AppID: 0, Key: testKey()}, {AppID: 1}, {AppID: 1, Key: testKey(), BaseURL: "ftp://x"}} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v accepted", o)
		}
	}
}

// Two installations refresh their tokens at the same time: the race detector watches ghinstallation's shared state.
func TestInstallationsInParallel(t *testing.T) {
	_, app := newHub(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"number":1,"state":"open"}`) })
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			r := repo
			r.Installation = int64(20 + i%4)
			if _, err := app.Pull(context.Background(), r, 1); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestDeliveries(t *testing.T) {
	now := time.Now().UTC().Truncate(time.Second)
	stamp := func(d time.Duration) string { return now.Add(-d).Format(time.RFC3339) }
	hub, app := newHub(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization")[:7] != "Bearer " {
			t.Errorf("%s %s without the App's own token", r.Method, r.URL.Path)
		}
		switch {
		case r.Method == http.MethodPost:
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w, `{}`)
		case r.URL.Query().Get("cursor") == "":
			w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?cursor=v1_9>; rel="next"`, r.Host, r.URL.Path))
			_, _ = fmt.Fprintf(w, `[{"id":3,"guid":"a","event":"push","status_code":502,"delivered_at":%q}]`, stamp(time.Minute))
		default:
			_, _ = fmt.Fprintf(w, `[{"id":2,"guid":"b","event":"push","status_code":202,"delivered_at":%q},
				{"id":1,"guid":"old","event":"push","status_code":0,"delivered_at":%q}]`, stamp(2*time.Minute), stamp(time.Hour))
		}
	})
	ds, err := app.Deliveries(t.Context(), now.Add(-10*time.Minute))
	if err != nil || len(ds) != 2 || ds[0].ID != 3 || ds[0].Status != 502 || ds[1].GUID != "b" {
		t.Errorf("deliveries %+v, error %v", ds, err)
	}
	if err := app.Redeliver(t.Context(), 3); err != nil {
		t.Error(err)
	}
	if n := hub.count("POST /app/hook/deliveries/3/attempts"); n != 1 {
		t.Errorf("%d redeliveries asked for", n)
	}
}

func TestPermission(t *testing.T) {
	hub, app := newHub(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"permission":"write"}`) })
	if level, err := app.Permission(t.Context(), repo, "a/../b"); err != nil || level != "write" {
		t.Errorf("%q, %v", level, err)
	}
	if n := hub.count("GET /repos/o/r/collaborators/a%2F..%2Fb/permission"); n != 1 {
		t.Errorf("asked %v", hub.requests)
	}
}

func TestEnsurePull(t *testing.T) {
	for _, tc := range []struct{ name, open, want string }{
		{"none is open", `[]`, "POST /repos/o/r/pulls"},
		{"one is open", `[{"number":4,"title":"old"}]`, "PATCH /repos/o/r/pulls/4"},
		{"it says that already", `[{"number":4,"title":"T","body":"B"}]`, ""},
	} {
		hub, app := newHub(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				_, _ = io.WriteString(w, tc.open)
				return
			}
			_, _ = io.WriteString(w, `{"number":4}`)
		})
		n, err := app.EnsurePull(t.Context(), repo, "gatebot/fix-log", "main", PullText{"T", "B"})
		if err != nil || n != 4 {
			t.Errorf("%s: %d, %v", tc.name, n, err)
		}
		if writes := hub.count("P") - hub.count("POST /app/"); tc.want == "" && writes != 0 || tc.want != "" && hub.count(tc.want) != 1 {
			t.Errorf("%s: requests %v", tc.name, hub.requests)
		}
	}
}

func TestPointBranch(t *testing.T) {
	hub, app := newHub(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(w, `{"message":"Reference already exists"}`)
			return
		}
		_, _ = io.WriteString(w, `{"ref":"refs/heads/x"}`)
	})
	if err := app.PointBranch(t.Context(), repo, "x", "abc"); err != nil {
		t.Error(err)
	}
	if n := hub.count("PATCH /repos/o/r/git/refs/heads/x"); n != 1 {
		t.Errorf("requests %v", hub.requests)
	}
}
