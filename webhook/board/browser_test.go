package board

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"time"
)

func nowIs() time.Time { return now }

// TestServeForBrowser serves made-up pages for make browser-test, with everybody let in, until its input ends.
func TestServeForBrowser(t *testing.T) {
	address := os.Getenv("GATEBOT_BOARD_ADDR")
	if address == "" {
		t.Skip("for make browser-test")
	}
	o := options(some())
	o.Tick = 100 * time.Millisecond
	o.Provider, o.PublicURL = nobody{}, "http://"+address
	b, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	if err := b.Routes(mux); err != nil {
		t.Fatal(err)
	}
	ended := running()
	ended.job.State, ended.job.Conclusion, ended.job.Title, ended.progress.Ended = "done", "cancelled", "infrastructure, no verdict: the runner's driver went away", true
	waiting := &fakeFeed{job: some().jobs[1]}
	for path, feed := range map[string]*fakeFeed{"/board/jobs/k1000": running(), "/board/jobs/k4": ended, "/board/jobs/k0": waiting} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { b.Job(w, r, feed, path) })
		mux.HandleFunc("GET "+path+"/events", func(w http.ResponseWriter, r *http.Request) { b.Stream(w, r, feed) })
		mux.HandleFunc("GET "+path+"/log.txt", func(w http.ResponseWriter, r *http.Request) { b.WholeLog(w, r, feed) })
	}
	// A job that goes on while it is looked at, and then is done.
	grow := running()
	mux.HandleFunc("GET /board/jobs/grow", func(w http.ResponseWriter, r *http.Request) { b.Job(w, r, grow, "/board/jobs/grow") })
	mux.HandleFunc("GET /board/jobs/grow/events", func(w http.ResponseWriter, r *http.Request) { b.Stream(w, r, grow) })
	mux.HandleFunc("POST /grow/say", func(_ http.ResponseWriter, r *http.Request) { grow.say(r.FormValue("text")) })
	mux.HandleFunc("POST /grow/end", func(http.ResponseWriter, *http.Request) {
		grow.change(func(f *fakeFeed) {
			f.job.State, f.job.Conclusion, f.job.Title = "done", "success", "no capture hazards"
		})
	})
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/login" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		mux.ServeHTTP(w, r)
	})}
	srv.RegisterOnShutdown(b.Close)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = srv.Close()
	}()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		t.Fatal(err)
	}
}
