package standin

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Request is one API request as it was answered.
type Request struct {
	At     time.Time
	Method string
	Path   string // without the /api/v3 of GitHub Enterprise
	Query  string
	Body   []byte
	Status int // 0 when the connection was dropped
}

// Requests lists every API request so far, in the order in which they ended.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// statusWriter remembers the status that was sent.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// hourly is the primary limit of an installation.
const hourly = 5000

// record keeps the request for the tests and puts on the headers that come with every answer.
func (s *Server) record(w http.ResponseWriter, req *http.Request, next func(http.ResponseWriter)) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, 64<<20))
	if err != nil {
		writeError(w, fail(http.StatusBadRequest, "Problems reading the request: %v", err))
		return
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	entry := Request{At: time.Now(), Method: req.Method, Path: req.URL.Path, Query: req.URL.RawQuery, Body: body}
	out := &statusWriter{ResponseWriter: w}

	s.mu.Lock()
	used := len(s.requests) + 1
	s.mu.Unlock()
	h := w.Header()
	h.Set("X-GitHub-Request-Id", newGUID())
	h.Set("X-RateLimit-Limit", strconv.Itoa(hourly))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(max(hourly-used, 0)))
	h.Set("X-RateLimit-Used", strconv.Itoa(used))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(s.started.Add(time.Hour).Unix(), 10))
	h.Set("X-RateLimit-Resource", "core")

	// Deferred: a dropped connection leaves by panic (http.ErrAbortHandler), and counts as a request all the same.
	defer func() {
		entry.Status = out.status
		s.mu.Lock()
		s.requests = append(s.requests, entry)
		s.mu.Unlock()
	}()
	next(out)
}
