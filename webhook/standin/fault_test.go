package standin

import (
	"net/http"
	"testing"
	"time"
)

func TestFaults(t *testing.T) {
	w := newWorld(t, Options{})
	post := func() (reply, error) {
		return w.do(w.token, "POST", w.path("/check-runs"), map[string]any{"name": "gatebot", "head_sha": w.base})
	}
	on := func(f Fault) {
		f.Method, f.Path = "POST", "/repos/*/*/check-runs"
		w.s.Inject(f)
	}
	for _, status := range []int{http.StatusForbidden, http.StatusTooManyRequests} {
		on(Fault{Status: status, RetryAfter: 2 * time.Second})
		if got, err := post(); err != nil || got.status != status || got.header.Get("Retry-After") != "2" {
			t.Errorf("secondary limit %d: %d, retry-after %q, %v", status, got.status, got.header.Get("Retry-After"), err)
		}
		on(Fault{Status: status, Primary: true, RetryAfter: time.Minute})
		if got, err := post(); err != nil || got.status != status || got.header.Get("X-RateLimit-Remaining") != "0" || got.header.Get("Retry-After") != "" {
			t.Errorf("primary limit %d: %d, %v, %v", status, got.status, got.header, err)
		}
	}
	on(Fault{Status: http.StatusBadGateway})
	if got, err := post(); err != nil || got.status != http.StatusBadGateway {
		t.Errorf("server error: %d, %v", got.status, err)
	}
	if n := len(w.s.CheckRuns()); n != 0 {
		t.Fatalf("%d runs were made by refused requests", n)
	}

	on(Fault{Drop: true, Skip: 1})
	if got, err := post(); err != nil || got.status != http.StatusCreated {
		t.Errorf("the request before the fault: %d, %v", got.status, err)
	}
	if _, err := post(); err == nil {
		t.Error("dropped after the work: got an answer")
	}
	if n := len(w.s.CheckRuns()); n != 2 {
		t.Errorf("%d runs, want 2: the request without an answer was carried out", n)
	}
	on(Fault{Drop: true, Status: http.StatusBadGateway, Times: -1})
	if _, err := post(); err == nil {
		t.Error("dropped before the work: got an answer")
	}
	w.s.Heal()
	if got, err := post(); err != nil || got.status != http.StatusCreated || len(w.s.CheckRuns()) != 3 {
		t.Errorf("healed: %d, %v, %d runs, want 201 and 3", got.status, err, len(w.s.CheckRuns()))
	}
}

func TestContentLimit(t *testing.T) {
	w := newWorld(t, Options{ContentPerMinute: 3})
	for range 3 {
		w.newRun(nil)
	}
	got, err := w.do(w.token, "POST", w.path("/check-runs"), map[string]any{"name": "gatebot", "head_sha": w.base})
	if err != nil || got.status != http.StatusForbidden || got.header.Get("Retry-After") == "" {
		t.Errorf("fourth creation: %d %v %v, want 403 with retry-after", got.status, got.header, err)
	}
	w.want(http.StatusOK, w.token, "GET", w.path(""), nil) // reading goes on
}

func TestCommitsBecomeVisibleLate(t *testing.T) {
	w := newWorld(t, Options{VisibleAfter: time.Hour})
	id := w.commit("topic", "New", "a.py", "a = 1\n")
	body := map[string]any{"name": "gatebot", "head_sha": id}
	w.want(http.StatusUnprocessableEntity, w.token, "POST", w.path("/check-runs"), body)
	w.want(http.StatusUnprocessableEntity, w.token, "GET", w.path("/commits/"+id+"/check-runs"), nil)
	w = newWorld(t, Options{VisibleAfter: 300 * time.Millisecond})
	body["head_sha"] = w.commit("topic", "New", "a.py", "a = 1\n")
	deadline := time.Now().Add(2 * time.Minute)
	for {
		got, err := w.do(w.token, "POST", w.path("/check-runs"), body)
		if err != nil {
			t.Fatal(err)
		}
		if got.status == http.StatusCreated {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the commit never became visible: %s", got.body)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
