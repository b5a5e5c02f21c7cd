package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

const secret, newSecret = "old-secret-0123", "new-secret-4567"

func sign(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func newTestIntake(t *testing.T, q queue.Queue, log *slog.Logger) *httptest.Server {
	t.Helper()
	v, err := newVerifier([]string{newSecret, secret})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(newIntake(v, q, log, time.Now).handler())
	t.Cleanup(s.Close)
	return s
}

func TestIntake(t *testing.T) {
	body := []byte(`{"action":"opened"}`)
	sha1mac := hmac.New(sha1.New, []byte(secret))
	sha1mac.Write(body)
	old := "sha1=" + hex.EncodeToString(sha1mac.Sum(nil))
	for _, tc := range []struct {
		name   string
		method string
		path   string
		body   []byte
		header map[string]string // over the valid ones; empty value removes
		status int
		stored int
	}{
		{"stored", "POST", "/webhook", body, nil, 202, 1},
		{"second secret", "POST", "/webhook", body, map[string]string{"X-Hub-Signature-256": sign(newSecret, body)}, 202, 1},
		{"charset", "POST", "/webhook", body, map[string]string{"Content-Type": "application/json; charset=utf-8"}, 202, 1},
		{"unknown event", "POST", "/webhook", body, map[string]string{"X-GitHub-Event": "star"}, 202, 0},
		{"no signature", "POST", "/webhook", body, map[string]string{"X-Hub-Signature-256": ""}, 401, 0},
		{"SHA-1 only", "POST", "/webhook", body, map[string]string{"X-Hub-Signature-256": "", "X-Hub-Signature": old}, 401, 0},
		{"SHA-1 under the new name", "POST", "/webhook", body, map[string]string{"X-Hub-Signature-256": old}, 401, 0},
		{"wrong secret", "POST", "/webhook", body, map[string]string{"X-Hub-Signature-256": sign("another-secret", body)}, 401, 0},
		{"empty secret", "POST", "/webhook", body, map[string]string{"X-Hub-Signature-256": sign("", body)}, 401, 0},
		{"other body", "POST", "/webhook", body, map[string]string{"X-Hub-Signature-256": sign(secret, []byte("{}"))}, 401, 0},
		{"cut signature", "POST", "/webhook", body, map[string]string{"X-Hub-Signature-256": sign(secret, body)[:40]}, 401, 0},
		{"malformed JSON", "POST", "/webhook", []byte(`{"action":`), nil, 400, 0},
		{"form", "POST", "/webhook", body, map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, 415, 0},
		{"no event", "POST", "/webhook", body, map[string]string{"X-GitHub-Event": ""}, 400, 0},
		{"no delivery", "POST", "/webhook", body, map[string]string{"X-GitHub-Delivery": ""}, 400, 0},
		{"too large", "POST", "/webhook", bytes.Repeat([]byte(" "), maxBody+1), nil, 413, 0},
		{"wrong method", "GET", "/webhook", nil, nil, 405, 0},
		{"elsewhere", "POST", "/", body, nil, 404, 0},
		{"health", "GET", "/healthz", nil, nil, 200, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			q := queue.NewMemory()
			s := newTestIntake(t, q, quiet())
			resp := answer(t, func() *http.Request { return deliver(t, s.URL, tc.method, tc.path, tc.body, tc.header) })
			_ = resp.Body.Close()
			if resp.StatusCode != tc.status {
				t.Errorf("status %d, want %d", resp.StatusCode, tc.status)
			}
			if got := len(drain(t, q, queue.Events)); got != tc.stored {
				t.Errorf("%d events stored, want %d", got, tc.stored)
			}
		})
	}
}

// answer sends until there is one: a server that refuses a large body closes the connection half a second later, and a client
// that stood still meanwhile finds it closed.
func answer(t *testing.T, req func() *http.Request) *http.Response {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		resp, err := http.DefaultClient.Do(req())
		if err == nil {
			return resp
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func deliver(t *testing.T, base, method, path string, body []byte, header map[string]string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, base+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]string{
		"Content-Type": "application/json", "X-GitHub-Event": "pull_request", "X-GitHub-Delivery": "d-1",
		"X-Hub-Signature-256": sign(secret, body),
	}
	for k, v := range header {
		set[k] = v
	}
	for k, v := range set {
		if v != "" {
			req.Header.Set(k, v)
		}
	}
	return req
}

// drain reads what a stream holds right now.
func drain(t *testing.T, q queue.Queue, s queue.Stream) [][]byte {
	t.Helper()
	var out [][]byte
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		m, err := q.Next(ctx, s, queue.Consumer{Name: "drain-" + t.Name()[:4], Lease: time.Minute})
		cancel()
		if err != nil {
			return out
		}
		out = append(out, m.Data())
		if err := m.Ack(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// A body without a length is cut off at the limit too.
func TestIntakeLimitsChunkedBodies(t *testing.T) {
	s := newTestIntake(t, queue.NewMemory(), quiet())
	resp := answer(t, func() *http.Request {
		req := deliver(t, s.URL, "POST", "/webhook", nil, nil)
		req.Body = io.NopCloser(io.MultiReader(bytes.NewReader(bytes.Repeat([]byte("x"), maxBody)), strings.NewReader("more")))
		req.ContentLength = -1
		return req
	})
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d", resp.StatusCode)
	}
}

func TestBrokenStoreIs503(t *testing.T) {
	q := queue.NewMemory()
	s := newTestIntake(t, q, quiet())
	q.Fail(errors.New("disk full"))
	resp, err := http.DefaultClient.Do(deliver(t, s.URL, "POST", "/webhook", []byte("{}"), nil))
	if err != nil {
		t.Fatal(err)
	}
	said, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
		t.Errorf("status %d, Retry-After %q", resp.StatusCode, resp.Header.Get("Retry-After"))
	}
	if strings.Contains(string(said), "disk full") {
		t.Error("a stranger is told about our disk")
	}
	resp, err = http.DefaultClient.Do(deliver(t, s.URL, "GET", "/healthz", nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("health says %d", resp.StatusCode)
	}
}

func TestStoredEvent(t *testing.T) {
	q := queue.NewMemory()
	var log bytes.Buffer
	s := newTestIntake(t, q, slog.New(slog.NewTextHandler(&log, nil)))
	body := []byte(`{"a": [1,2]}`)
	for range 2 { // GitHub repeats a delivery under the same id
		resp, err := http.DefaultClient.Do(deliver(t, s.URL, "POST", "/webhook", body, nil))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	events := drain(t, q, queue.Events)
	if len(events) != 1 {
		t.Fatalf("%d events stored", len(events))
	}
	var ev queue.Event
	if err := json.Unmarshal(events[0], &ev); err != nil {
		t.Fatal(err)
	}
	if ev.Delivery != "d-1" || ev.Type != "pull_request" || !json.Valid(ev.Payload) || ev.Received.IsZero() {
		t.Errorf("event %+v", ev)
	}
	if n := strings.Count(log.String(), "delivery=d-1"); n != 2 {
		t.Errorf("the delivery is in %d log lines of 2:\n%s", n, log.String())
	}
}

func TestSecretsAreRequired(t *testing.T) {
	for _, secrets := range [][]string{nil, {""}, {"short"}, {"", "short"}} {
		if _, err := newVerifier(secrets); err == nil {
			t.Errorf("%q accepted", secrets)
		} else if strings.Contains(err.Error(), "short") && !strings.Contains(err.Error(), "too short") {
			t.Errorf("the error shows the secret: %v", err)
		}
	}
}
