package standin

import (
	"bytes"
	"net/http"
	"path"
	"strconv"
	"time"
)

// Fault is something GitHub does at its worst. It applies to requests whose method and path match.
type Fault struct {
	Method string // empty for any
	Path   string // path.Match pattern, such as /repos/*/*/check-runs; empty for any
	Skip   int    // so many matching requests pass first
	Times  int    // then so many are hit; 0 means 1, -1 for ever

	Delay      time.Duration // before anything else
	Status     int           // answer with this status and do nothing, 0 to do the request
	RetryAfter time.Duration // with Status 403 or 429: the secondary limit and its header
	Primary    bool          // with Status 403 or 429: the hourly limit is used up, until RetryAfter from now
	Drop       bool          // drop the connection; with Status 0 after the request was carried out
}

type fault struct {
	Fault
	left int
}

// Inject adds a fault. Faults are tried in the order in which they were added; the first that applies is used.
func (s *Server) Inject(f Fault) {
	if f.Times == 0 {
		f.Times = 1
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &fault{Fault: f, left: f.Times})
}

// Heal removes every fault.
func (s *Server) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// nextFault finds the fault for a request and counts it down.
func (s *Server) nextFault(req *http.Request) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faults {
		if f.left == 0 || f.Method != "" && f.Method != req.Method {
			continue
		}
		if ok, err := path.Match(f.Path, req.URL.Path); f.Path != "" && (err != nil || !ok) {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			continue
		}
		if f.left > 0 {
			f.left--
		}
		return &f.Fault
	}
	return nil
}

// withFaults serves a request through the faults and the limits.
func (s *Server) withFaults(w http.ResponseWriter, req *http.Request, next func(http.ResponseWriter)) {
	if err := s.overLimit(req); err != nil {
		writeError(w, err)
		return
	}
	defer s.flight.Add(-1)
	f := s.nextFault(req)
	if f == nil {
		next(w)
		return
	}
	if f.Delay > 0 {
		select {
		case <-time.After(f.Delay):
		case <-req.Context().Done():
		}
	}
	switch {
	case f.Drop && f.Status == 0:
		next(&discard{header: http.Header{}}) // carried out, and nobody hears of it
		panic(http.ErrAbortHandler)
	case f.Drop:
		panic(http.ErrAbortHandler)
	case f.Status != 0:
		writeError(w, f.answer(w.Header()))
	default:
		next(w)
	}
}

func (f *Fault) answer(h http.Header) *apiError {
	switch {
	case f.Status != http.StatusForbidden && f.Status != http.StatusTooManyRequests:
		return fail(f.Status, "Server Error")
	case f.Primary:
		h.Set("X-RateLimit-Remaining", "0")
		h.Set("X-RateLimit-Reset", strconv.FormatInt(time.Now().Add(f.RetryAfter).Unix(), 10))
		return fail(f.Status, "API rate limit exceeded for installation ID 1.")
	}
	return secondaryLimit(f.Status, f.RetryAfter)
}

func secondaryLimit(status int, wait time.Duration) *apiError {
	e := fail(status, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.")
	e.header = http.Header{"Retry-After": {strconv.Itoa(int((wait + time.Second - 1) / time.Second))}}
	return e
}

// concurrent is how many requests GitHub serves at once for one client.
const concurrent = 100

// overLimit counts the request and says whether a secondary limit stops it. The caller takes the count of requests
// in flight back when the answer is nil.
func (s *Server) overLimit(req *http.Request) error {
	if s.flight.Add(1) > concurrent {
		s.flight.Add(-1)
		return secondaryLimit(http.StatusForbidden, time.Minute)
	}
	creates := req.Method != http.MethodGet && req.Method != http.MethodHead
	if ok, _ := path.Match("/app/*/*/*", req.URL.Path); !creates || ok {
		return nil // tokens and redeliveries create no content
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := time.Now()
	minute, hour := 0, 0
	kept := s.content[:0]
	for _, t := range s.content {
		if at.Sub(t) < time.Hour {
			kept, hour = append(kept, t), hour+1
		}
		if at.Sub(t) < time.Minute {
			minute++
		}
	}
	s.content = kept
	if minute >= s.opt.ContentPerMinute || hour >= s.opt.ContentPerHour {
		s.flight.Add(-1)
		s.limited++
		status := http.StatusForbidden
		if s.limited%2 == 0 { // GitHub answers with either
			status = http.StatusTooManyRequests
		}
		return secondaryLimit(status, time.Minute)
	}
	s.content = append(s.content, at)
	return nil
}

// discard is a ResponseWriter into the void.
type discard struct {
	header http.Header
	bytes.Buffer
}

func (d *discard) Header() http.Header { return d.header }
func (d *discard) WriteHeader(int)     {}
