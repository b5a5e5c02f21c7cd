package board

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// event is one server-sent event.
type event struct{ name, id, data string }

// text is the data of a log event.
func (e event) text(t *testing.T) string {
	t.Helper()
	var s string
	if err := json.Unmarshal([]byte(e.data), &s); err != nil {
		t.Fatalf("%+v: %v", e, err)
	}
	return s
}

// live is a server with one job whose page and stream are its only addresses.
type live struct {
	*testing.T
	b    *Board
	feed *fakeFeed
	srv  *httptest.Server
}

func newLive(t *testing.T, feed *fakeFeed) *live {
	t.Helper()
	o := options(some())
	o.Tick = time.Millisecond
	b, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	l := &live{t, b, feed, nil}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /jobs/k/c", func(w http.ResponseWriter, r *http.Request) { b.Job(w, r, feed, "/jobs/k/c") })
	mux.HandleFunc("GET /jobs/k/c/events", func(w http.ResponseWriter, r *http.Request) { b.Stream(w, r, feed) })
	mux.HandleFunc("GET /jobs/k/c/log.txt", func(w http.ResponseWriter, r *http.Request) { b.WholeLog(w, r, feed) })
	l.srv = httptest.NewServer(mux)
	t.Cleanup(func() { b.Close(); l.srv.Close() })
	return l
}

// open begins a stream after a place. next waits for an event of some name, any for "".
func (l *live) open(after string) (next func(name string) event, leave func()) {
	l.Helper()
	ctx, cancel := context.WithTimeout(l.Context(), 5*time.Minute)
	r, err := http.NewRequestWithContext(ctx, "GET", l.srv.URL+"/jobs/k/c/events", nil)
	if err != nil {
		l.Fatal(err)
	}
	if after != "" {
		r.Header.Set("Last-Event-ID", after)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		l.Fatal(err)
	}
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/event-stream" || res.Header.Get("Cache-Control") != "no-store" {
		l.Fatalf("%d %v", res.StatusCode, res.Header)
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 4<<20)
	next = func(name string) event {
		l.Helper()
		var e event
		for lines.Scan() {
			key, value, _ := strings.Cut(lines.Text(), ": ")
			switch key {
			case "event":
				e.name = value
			case "id":
				e.id = value
			case "data":
				e.data = value
			case "":
				if e.name != "" && (name == "" || e.name == name) {
					return e
				}
				e = event{}
			}
		}
		l.Fatalf("the stream ended before %q: %v", name, lines.Err())
		return e
	}
	return next, func() { cancel(); _ = res.Body.Close() }
}

func (l *live) get(path string) (int, string) {
	l.Helper()
	status, body, _ := get(l.T, l.srv.URL+path, "")
	return status, body
}

func TestStream(t *testing.T) {
	feed := running()
	l := newLive(t, feed)
	next, leave := l.open("")
	defer leave()
	var all strings.Builder
	var last event
	for range feed.progress.Pieces {
		last = next("log")
		all.WriteString(last.text(t))
	}
	if text := all.String(); !strings.Contains(text, "layers.42.pre: 180 nodes") || !strings.Contains(text, "warning: <b>not markup</b> token=‹redacted›\n") || strings.Contains(text, "\x1b") {
		t.Errorf("%q", text)
	}
	if last.id != fmt.Sprintf("1.1.%d", feed.progress.Pieces) {
		t.Errorf("the last piece has the id %s", last.id)
	}
	p := next("progress")
	for _, want := range []string{`"state":"running"`, `{"Name":"alloc","State":"done"`, `{"Name":"capture","State":"running","Done":43,"Total":62,"Unit":"regions"}`, `{"Name":"replay","State":"ahead"`} {
		if !strings.Contains(p.data, want) {
			t.Errorf("no %s in %s", want, p.data)
		}
	}
	feed.change(func(f *fakeFeed) { f.progress.Done = 44 })
	if p := next(""); p.name != "progress" || !strings.Contains(p.data, `"Done":44`) {
		t.Errorf("%+v", p)
	}
	// The runner is lost, and another one takes the job: what it says follows, marked.
	feed.change(func(f *fakeFeed) { f.progress = &Progress{Attempt: 1, Lease: 2, Runner: "b200-4", Phase: "source"} })
	if e := next("lease"); !strings.Contains(e.data, "b200-4") {
		t.Errorf("%+v", e)
	}
	feed.say("from the second")
	if e := next("log"); e.id != "1.2.1" || e.text(t) != "from the " { // the last word may go on
		t.Errorf("%+v", e)
	}
	feed.change(func(f *fakeFeed) { f.job.State, f.job.Conclusion = "done", "success" })
	if e := next("log"); e.text(t) != "second" {
		t.Errorf("%+v", e)
	}
	if e := next("end"); !strings.Contains(e.data, "success") {
		t.Errorf("%+v", e)
	}
}

// A browser that was cut off goes on where it was: nothing twice, nothing left out, also in the middle of a word, of an
// escape sequence or of a secret.
func TestStreamGoesOn(t *testing.T) {
	pieces := []string{"one \x1b[3", "1mtwo\x1b[0m thr", "ee ghp_" + strings.Repeat("a", 20), strings.Repeat("b", 20) + " \xe2\x82", "\xac five\n-----BEGIN PRIVATE KEY-----\nMII", "E\n-----END PRIVATE KEY-----\nsix\n"}
	const want = "one two three ‹redacted› € five\n‹redacted›\nsix\n"
	for cut := range len(pieces) + 1 {
		feed := &fakeFeed{job: some().jobs[0], progress: &Progress{Attempt: 2, Lease: 5}}
		for _, p := range pieces {
			feed.say(p)
		}
		l := newLive(t, feed)
		var text strings.Builder
		next, leave := l.open("")
		after := ""
		for range cut {
			e := next("log")
			after = e.id
			text.WriteString(e.text(t))
		}
		leave()
		next, leave = l.open(after)
		for range len(pieces) - cut {
			text.WriteString(next("log").text(t))
		}
		leave()
		if text.String() != want {
			t.Errorf("cut after %d: %q, want %q", cut, text.String(), want)
		}
	}
}

// What a client says of its place is not believed further than it goes.
func TestPlaces(t *testing.T) {
	for s, want := range map[string]place{"": {}, "1.2.3": {1, 2, 3}, "1.2": {}, "1.2.3.4": {}, "1.2.-3": {}, "a": {}, "1.2.3 ": {}, "01.2.3": {}, "1.2.99999999999999999999": {}} {
		if got := parsePlace(s); got != want {
			t.Errorf("%q: %+v, want %+v", s, got, want)
		}
	}
	feed := running()
	l := newLive(t, feed)
	next, leave := l.open("1.1.999999999")
	defer leave()
	next("progress")
	feed.change(func(f *fakeFeed) { f.job.State = "done" })
	next("end")
	if feed.reads > 1 {
		t.Errorf("%d pieces were read", feed.reads)
	}
}

func FuzzPlace(f *testing.F) {
	f.Add("1.2.3")
	f.Fuzz(func(t *testing.T, s string) {
		if p := parsePlace(s); p != (place{}) && p.String() != s || p.piece < 0 {
			t.Errorf("%q: %+v", s, p)
		}
	})
}

// A piece that is not kept any more is said, and the log goes on.
func TestAPieceIsLost(t *testing.T) {
	feed := running()
	delete(feed.pieces, "1.1.1")
	l := newLive(t, feed)
	next, leave := l.open("")
	defer leave()
	next("log")
	if e := next("log"); !strings.Contains(e.text(t), "not kept any more") {
		t.Errorf("%+v", e)
	}
	if e := next("log"); !strings.Contains(e.text(t), "capture:") {
		t.Errorf("%+v", e)
	}
	if _, body := l.get("/jobs/k/c/log.txt"); !strings.Contains(body, "not kept any more") || !strings.Contains(body, "capture:") {
		t.Error(body)
	}
}

func TestTooManyStreams(t *testing.T) {
	l := newLive(t, running())
	l.b.streams.Store(maxStreams)
	if status, _ := l.get("/jobs/k/c/events"); status != http.StatusServiceUnavailable {
		t.Errorf("%d", status)
	}
	l.b.streams.Store(maxStreams - 1)
	next, leave := l.open("")
	next("progress")
	leave()
}

// A server that stops does not wait for live pages.
func TestCloseEndsStreams(t *testing.T) {
	l := newLive(t, running())
	next, leave := l.open("")
	defer leave()
	next("progress")
	l.b.Close()
	l.srv.Close() // waits for what is open
}

func TestJobPage(t *testing.T) {
	feed := running()
	l := newLive(t, feed)
	status, body := l.get("/jobs/k/c")
	for _, want := range []string{"43 of 62 regions", "layers.42.pre", "&lt;b&gt;not markup", "‹redacted›", `data-stream="/jobs/k/c/events"`, fmt.Sprintf(`data-after="1.1.%d"`, feed.progress.Pieces),
		`http-equiv="refresh"`, "running on b200-0", `aria-current="step"`} {
		if status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%d, no %q in %s", status, want, body)
		}
	}
	if strings.Contains(body, "/board/fixlog") || strings.Contains(body, "Sign out") {
		t.Error("the page behind Details leads to pages that its reader may not see")
	}
	feed.change(func(f *fakeFeed) {
		f.job.State, f.job.Conclusion, f.job.Title, f.progress.Ended = "done", "cancelled", "infrastructure, no verdict", true
	})
	if _, body = l.get("/jobs/k/c"); strings.Contains(body, "data-stream") || strings.Contains(body, "refresh") || !strings.Contains(body, "infrastructure, no verdict") ||
		!strings.Contains(body, `<li class="stopped">`) || !strings.Contains(body, `<li class="ahead">`) {
		t.Error(body)
	}
	feed.change(func(f *fakeFeed) { f.progress = nil })
	if _, body = l.get("/jobs/k/c"); !strings.Contains(body, "logs are kept for days") {
		t.Error(body)
	}
	if status, _ := l.get("/jobs/k/c/log.txt"); status != http.StatusNotFound {
		t.Errorf("a log that is not kept: %d", status)
	}
	feed.change(func(f *fakeFeed) { f.err = errors.New("secret-host is down") })
	if status, body := l.get("/jobs/k/c"); status != http.StatusServiceUnavailable || strings.Contains(body, "secret-host") {
		t.Errorf("%d %s", status, body)
	}
}

// The page shows the end of a long log and reads no more of it.
func TestLongLog(t *testing.T) {
	feed := running()
	for i := range 1000 {
		feed.say(strings.Repeat(fmt.Sprintf("line %d é\n", i), 100))
	}
	feed.say("the last line\n")
	l := newLive(t, feed)
	_, body := l.get("/jobs/k/c")
	if !strings.Contains(body, "the last line") || strings.Contains(body, "line 500 ") || len(body) > 2*maxTail || !strings.Contains(body, "The end of the log.") {
		t.Errorf("a page of %d bytes", len(body))
	}
	if feed.reads > 100 {
		t.Errorf("%d pieces were read", feed.reads)
	}
	if _, body := l.get("/jobs/k/c/log.txt"); !strings.Contains(body, "line 500 é") || !strings.HasSuffix(body, "the last line\n") {
		t.Errorf("a log of %d bytes", len(body))
	}
}

// A page that has nothing to say says so, or a proxy would take it for dead.
func TestStreamBeats(t *testing.T) {
	l := newLive(t, running())
	l.b.Beat = 5 * time.Millisecond
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", l.srv.URL+"/jobs/k/c/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	beats := 0
	for lines := bufio.NewScanner(res.Body); beats < 3 && lines.Scan(); {
		if lines.Text() == ": beat" {
			beats++
		}
	}
	if beats < 3 {
		t.Errorf("%d beats", beats)
	}
}

// A server's limits are for requests that end: a live page outlives them.
func TestStreamOutlivesTheServersLimits(t *testing.T) {
	t.Parallel()
	const limit = 8 * time.Second // a process that stands still for less gets its request read
	o, feed := options(some()), running()
	o.Tick = time.Millisecond
	b, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { b.Stream(w, r, feed) }))
	srv.Config.ReadTimeout, srv.Config.WriteTimeout = limit, limit
	srv.Start()
	t.Cleanup(func() { b.Close(); srv.Close() })
	l := &live{t, b, feed, srv}
	next, leave := l.open("")
	defer leave()
	next("progress")
	time.Sleep(limit + time.Second) // past the limit, however slow the machine is
	feed.say("still here\n")
	for {
		if e := next("log"); e.text(t) == "still here\n" {
			return
		}
	}
}
