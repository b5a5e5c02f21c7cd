package github

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// sayer answers every request in the same way.
type sayer struct {
	status int
	header http.Header
	at     []time.Time
}

func (s *sayer) RoundTrip(*http.Request) (*http.Response, error) {
	s.at = append(s.at, time.Now())
	return &http.Response{StatusCode: s.status, Header: s.header.Clone(), Body: io.NopCloser(strings.NewReader("{}"))}, nil
}

func ask(t *testing.T, tr http.RoundTripper, method string, nice bool) error {
	t.Helper()
	ctx := t.Context()
	if nice {
		ctx = courtesy(ctx)
	}
	req, err := http.NewRequestWithContext(ctx, method, "https://api.github.com/repos/o/r/check-runs", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := tr.RoundTrip(req)
	if err == nil {
		_ = resp.Body.Close()
	}
	return err
}

// TestPace: a burst goes at once, then one a second, never more than the hour allows; reads are not held up; courtesies are
// left out long before.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &sayer{status: 200, header: http.Header{}}
		p := newPacer(Pace{PerHour: 100}, time.Minute, nil)
		tr := p.over(s)
		for range 30 {
			if err := ask(t, tr, "POST", false); err != nil {
				t.Fatal(err)
			}
		}
		if d := s.at[9].Sub(s.at[0]); d != 0 {
			t.Errorf("the burst took %s", d)
		}
		if d := s.at[29].Sub(s.at[9]); d < 20*time.Second || d > 21*time.Second {
			t.Errorf("twenty after the burst took %s, want a second each", d)
		}
		if err := ask(t, tr, "PATCH", true); !errors.Is(err, ErrBudget) {
			t.Errorf("a courtesy: %v", err)
		}
		if err := ask(t, tr, "GET", true); err != nil {
			t.Errorf("a read: %v", err)
		}
		var limit *RateLimitedError
		for range 200 {
			if err := ask(t, tr, "POST", false); errors.As(err, &limit) {
				break
			}
		}
		if limit == nil || limit.After < 30*time.Minute || len(p.content) != 100 {
			t.Errorf("after %d in an hour: %v", len(p.content), limit)
		}
	})
}

func TestPointsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &sayer{status: 200, header: http.Header{}}
		tr := newPacer(Pace{Points: 100}, time.Hour, nil).over(s)
		for range 250 {
			if err := ask(t, tr, "GET", false); err != nil {
				t.Fatal(err)
			}
		}
		if d := s.at[249].Sub(s.at[0]); d < 2*time.Minute {
			t.Errorf("250 reads at 100 points a minute took %s", d)
		}
	})
}

// TestSilence: after a limit nothing is sent until it is over, and without a time named the waits grow.
func TestSilence(t *testing.T) {
	for _, tc := range []struct {
		name   string
		status int
		header http.Header
		waits  []time.Duration
	}{
		{"403 with a time", 403, http.Header{"Retry-After": {"90"}}, []time.Duration{90 * time.Second, 90 * time.Second}},
		{"429 with a time", 429, http.Header{"Retry-After": {"90"}}, []time.Duration{90 * time.Second, 90 * time.Second}},
		{"429 without", 429, http.Header{}, []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &sayer{status: tc.status, header: tc.header}
				tr := newPacer(Pace{}, 0, nil).over(s)
				for _, want := range tc.waits {
					_ = ask(t, tr, "GET", false) // the answer is the limit itself
					sent := len(s.at)
					var limit *RateLimitedError
					if err := ask(t, tr, "GET", false); !errors.As(err, &limit) || limit.After != want || len(s.at) != sent {
						t.Fatalf("%v with %d sent, want %s of silence", err, len(s.at)-sent, want)
					}
					time.Sleep(want)
				}
			})
		})
	}
}

// TestDown: five failures in a row and requests are spaced out for everybody; one answer ends it.
func TestDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &sayer{status: 502, header: http.Header{}}
		tr := newPacer(Pace{}, 0, nil).over(s)
		for range 1000 {
			_ = ask(t, tr, "GET", false)
			time.Sleep(time.Second)
		}
		if n := len(s.at); n > 40 {
			t.Errorf("%d requests in 1,000 s of an outage", n)
		}
		s.status = 200
		time.Sleep(time.Minute)
		for range 10 {
			if err := ask(t, tr, "GET", false); err != nil {
				t.Fatal(err)
			}
		}
	})
}
