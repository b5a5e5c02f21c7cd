package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Pace is how much of GitHub's patience is used, per installation (docs: rate limits for the REST API, best practices:
// 80 content-creating requests a minute and 500 an hour, 900 points a minute, 100 requests at once, one second between
// requests that change something). Several servers for one App must share it: give each its part.
type Pace struct {
	PerMinute  int // content-creating requests; default 60, one a second
	PerHour    int // default 450
	Burst      int // so many may follow each other without a pause; default 10
	Points     int // a minute: 1 for a read, 5 for a write; default 800
	Concurrent int // default 30
}

func (p *Pace) fill() {
	for _, f := range []struct {
		into  *int
		value int
	}{{&p.PerMinute, 60}, {&p.PerHour, 450}, {&p.Burst, 10}, {&p.Points, 800}, {&p.Concurrent, 30}} {
		if *f.into <= 0 {
			*f.into = f.value
		}
	}
}

// ErrBudget is a request that was not sent because others need the budget more: progress, reactions, queue positions.
var ErrBudget = errors.New("left out: the budget for requests to GitHub is low")

type courtesyKey struct{}

// courtesy marks requests that are left out when the budget is low. A verdict never is one.
func courtesy(ctx context.Context) context.Context {
	return context.WithValue(ctx, courtesyKey{}, true)
}

// pacer keeps an installation's requests within Pace and silent while GitHub has told us to wait: going on while limited
// can get an App banned.
type pacer struct {
	pace     Pace
	maxSleep time.Duration
	observe  func(method string, status int, limited bool)
	slots    chan struct{}

	mu      sync.Mutex
	tokens  float64     // of the burst
	filled  time.Time   // when tokens was right
	content []time.Time // of the last hour
	points  []spent     // of the last minute
	until   time.Time   // GitHub asked for silence until then
	strikes int         // limits in a row that named no time
	failed  int         // answers in a row that were none: 5xx, or no answer at all
}

type spent struct {
	at time.Time
	n  int
}

func newPacer(p Pace, maxSleep time.Duration, observe func(string, int, bool)) *pacer {
	p.fill()
	if observe == nil {
		observe = func(string, int, bool) {}
	}
	return &pacer{pace: p, maxSleep: maxSleep, observe: observe, slots: make(chan struct{}, p.Concurrent), tokens: float64(p.Burst), filled: time.Now()}
}

// creates reports whether a request counts as content: tokens and redeliveries do not.
func creates(req *http.Request) bool {
	return req.Method != http.MethodGet && req.Method != http.MethodHead && !strings.Contains(req.URL.Path, "/app/")
}

// over puts the pacer over a transport.
func (p *pacer) over(base http.RoundTripper) http.RoundTripper { return &paced{p, base} }

type paced struct {
	*pacer
	base http.RoundTripper
}

func (t *paced) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	for {
		wait, err := t.take(creates(req), ctx.Value(courtesyKey{}) != nil)
		if err != nil {
			return nil, err
		}
		if wait <= 0 {
			break
		}
		if wait > t.maxSleep {
			return nil, &RateLimitedError{After: wait, Cause: errors.New("our own limit, so that GitHub's is not met")}
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
	select {
	case t.slots <- struct{}{}:
		defer func() { <-t.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	resp, err := t.base.RoundTrip(req)
	if err != nil {
		t.observe(req.Method, 0, false)
		if ctx.Err() == nil {
			t.down()
		}
		return resp, err
	}
	t.observe(req.Method, resp.StatusCode, t.heed(resp))
	return resp, nil
}

// take books a request, or says how long to wait before the next try.
func (p *pacer) take(content, courtesy bool) (time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if d := p.until.Sub(now); d > 0 {
		return d, nil
	}
	p.forget(now)
	cost := 1
	if content {
		cost = 5
	}
	var wait time.Duration
	if over := p.pointSum() + cost - p.pace.Points; over > 0 {
		wait = max(wait, p.freed(over, now))
	}
	if content {
		rate := float64(p.pace.PerMinute) / 60
		p.tokens = min(float64(p.pace.Burst), p.tokens+now.Sub(p.filled).Seconds()*rate)
		p.filled = now
		if p.tokens < 1 {
			wait = max(wait, time.Duration((1-p.tokens)/rate*float64(time.Second))+time.Millisecond)
		}
		if n := len(p.content) - p.pace.PerHour; n >= 0 {
			wait = max(wait, p.content[n].Add(time.Hour).Sub(now))
		}
		if courtesy && (p.tokens < float64(p.pace.Burst)/2 || len(p.content) > p.pace.PerHour*3/4) {
			return 0, ErrBudget
		}
	}
	if wait > 0 {
		return wait, nil
	}
	p.points = append(p.points, spent{now, cost})
	if content {
		p.tokens--
		p.content = append(p.content, now)
	}
	return 0, nil
}

// forget drops what no window holds any more.
func (p *pacer) forget(now time.Time) {
	n := 0
	for n < len(p.content) && now.Sub(p.content[n]) >= time.Hour {
		n++
	}
	p.content = p.content[n:]
	n = 0
	for n < len(p.points) && now.Sub(p.points[n].at) >= time.Minute {
		n++
	}
	p.points = p.points[n:]
}

func (p *pacer) pointSum() int {
	n := 0
	for _, s := range p.points {
		n += s.n
	}
	return n
}

// freed is when so many points will have left the window.
func (p *pacer) freed(over int, now time.Time) time.Duration {
	for _, s := range p.points {
		if over -= s.n; over <= 0 {
			return s.at.Add(time.Minute).Sub(now)
		}
	}
	return time.Minute
}

// heed reads a limit out of an answer and keeps silent as long as it says.
func (p *pacer) heed(resp *http.Response) bool {
	limit := resp.StatusCode == http.StatusTooManyRequests ||
		resp.StatusCode == http.StatusForbidden && isLimit(resp.Header, "")
	p.mu.Lock()
	defer p.mu.Unlock()
	if !limit {
		if resp.StatusCode < 500 {
			p.strikes, p.failed = 0, 0
		} else {
			p.downLocked()
		}
		return false
	}
	d := retryAfter(resp.Header)
	if resp.Header.Get("Retry-After") == "" && resp.Header.Get("X-RateLimit-Remaining") != "0" {
		d = min(defaultBackoff<<min(p.strikes, 6), maxBackoff)
		p.strikes++
	}
	if at := time.Now().Add(min(d, maxBackoff)); at.After(p.until) {
		p.until = at
	}
	return true
}

// patientAfter is how many failures in a row are GitHub being down rather than one bad request.
const patientAfter = 5

// down notes that GitHub did not answer. When that goes on, requests are spaced out for everybody: thousands of them that
// try again by themselves would be a burden to a service that is coming up, and look like an attack.
func (p *pacer) down() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.downLocked()
}

func (p *pacer) downLocked() {
	p.failed++
	if over := p.failed - patientAfter; over >= 0 {
		if at := time.Now().Add(min(time.Second<<min(over, 6), time.Minute)); at.After(p.until) {
			p.until = at
		}
	}
}

// budget says how much content was created within the last hour, and how much may be.
func (p *pacer) budget() (used, limit int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget(time.Now())
	return len(p.content), p.pace.PerHour
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return fmt.Errorf("waiting for GitHub's limits: %w", ctx.Err())
	case <-t.C:
		return nil
	}
}
