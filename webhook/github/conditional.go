package github

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
)

type conditionalKey struct{}

// conditional marks requests that are repeated in a loop: an answer that has not changed (304) costs no quota (docs:
// best practices, conditional requests).
func conditional(ctx context.Context) context.Context {
	return context.WithValue(ctx, conditionalKey{}, true)
}

const (
	maxRemembered     = 512
	maxRememberedBody = 1 << 20 // bytes
)

// memory answers a 304 with what was said before.
type memory struct {
	base http.RoundTripper

	mu   sync.Mutex
	said map[string]*answered
}

type answered struct {
	etag   string
	header http.Header
	body   []byte
}

func remembering(base http.RoundTripper) *memory {
	return &memory{base: base, said: map[string]*answered{}}
}

func (m *memory) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet || req.Context().Value(conditionalKey{}) == nil {
		return m.base.RoundTrip(req)
	}
	key := req.URL.String()
	m.mu.Lock()
	was := m.said[key]
	m.mu.Unlock()
	if was != nil {
		req = req.Clone(req.Context())
		req.Header.Set("If-None-Match", was.etag)
	}
	resp, err := m.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	switch {
	case resp.StatusCode == http.StatusNotModified && was != nil:
		_ = resp.Body.Close() // has none
		resp.StatusCode, resp.Status = http.StatusOK, "200 OK"
		for k, v := range was.header { // Link and the like; what is new about limits stays
			if resp.Header.Get(k) == "" {
				resp.Header[k] = v
			}
		}
		resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(was.body)), int64(len(was.body))
	case resp.StatusCode == http.StatusOK && resp.Header.Get("ETag") != "":
		return m.keep(key, resp)
	}
	return resp, nil
}

// keep remembers an answer that is small enough.
func (m *memory) keep(key string, resp *http.Response) (*http.Response, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxRememberedBody+1))
	if err != nil {
		_ = resp.Body.Close()
		return nil, err
	}
	if len(body) > maxRememberedBody {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(body), resp.Body), resp.Body}
		return resp, nil
	}
	_ = resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(body))
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.said) >= maxRemembered {
		clear(m.said) // rare and cheap: everything is asked once more
	}
	m.said[key] = &answered{etag: resp.Header.Get("ETag"), header: resp.Header.Clone(), body: body}
	return resp, nil
}
