package standin

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Delivery is one attempt to deliver one event. Values handed out are copies.
type Delivery struct {
	ID         int64
	GUID       string // X-GitHub-Delivery; the same for every attempt at one event
	Event      string
	Action     string
	Repo       string
	Body       []byte
	At         time.Time
	Redelivery bool
	Done       bool
	StatusCode int    // 0 when there was no answer
	Status     string // "OK", the status text, or why there was no answer
	Duration   time.Duration

	repoID, installation int64
}

// OK reports whether the receiver took it.
func (d *Delivery) OK() bool { return d.Done && d.StatusCode >= 200 && d.StatusCode < 300 }

// answerWithin is how long GitHub waits for the receiver before it calls the delivery failed.
const answerWithin = 10 * time.Second

// emit queues an event for delivery under a fresh GUID.
func (s *Server) emit(r *Repository, event string, payload object) error {
	body, err := json.Marshal(payload)
	if err != nil {
		return fmt.Errorf("stand-in: payload of %s: %w", event, err)
	}
	d := &Delivery{GUID: newGUID(), Event: event, Body: body}
	d.Action, _ = payload["action"].(string)
	if r != nil {
		d.Repo, d.repoID, d.installation = r.FullName(), r.id, r.installation
	}
	s.send(d)
	return nil
}

func (s *Server) send(d *Delivery) {
	s.mu.Lock()
	d.ID = s.newID()
	s.deliveries = append(s.deliveries, d)
	if s.holding {
		s.held = append(s.held, d)
		s.mu.Unlock()
		return
	}
	s.mu.Unlock()
	s.outbox <- d
}

// Hold keeps events back until the function it returns is called, which sends them in the order that reorder leaves
// them in (nil for the order in which they came): GitHub promises none.
func (s *Server) Hold() (release func(reorder func([]*Delivery))) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holding = true
	return func(reorder func([]*Delivery)) {
		s.mu.Lock()
		held := s.held
		s.holding, s.held = false, nil
		s.mu.Unlock()
		if reorder != nil {
			reorder(held)
		}
		for _, d := range held {
			s.outbox <- d
		}
	}
}

// Redeliver repeats an event with its old GUID, as the button on GitHub's page and the API do.
func (s *Server) Redeliver(guid string) error {
	s.mu.Lock()
	var again *Delivery
	for _, d := range s.deliveries {
		if d.GUID == guid {
			again = &Delivery{
				GUID: guid, Event: d.Event, Action: d.Action, Repo: d.Repo, Body: d.Body, Redelivery: true,
				repoID: d.repoID, installation: d.installation,
			}
			break
		}
	}
	s.mu.Unlock()
	if again == nil {
		return fmt.Errorf("stand-in: delivery %s: never sent", guid)
	}
	s.send(again)
	return nil
}

// Ping sends the event that GitHub sends when a webhook is set up.
func (s *Server) Ping() error { return s.emit(nil, "ping", s.pingPayload()) }

// Deliveries lists every attempt, oldest first.
func (s *Server) Deliveries() []Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Delivery, 0, len(s.deliveries))
	for _, d := range s.deliveries {
		out = append(out, *d)
	}
	return out
}

// deliverAll sends what is queued, in order, until ctx ends.
func (s *Server) deliverAll(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case d := <-s.outbox:
			s.attempt(ctx, d)
		}
	}
}

func (s *Server) attempt(ctx context.Context, d *Delivery) {
	start := time.Now()
	code, status := s.post(ctx, d)
	s.mu.Lock()
	defer s.mu.Unlock()
	d.At, d.Duration, d.Done = start, time.Since(start), true
	d.StatusCode, d.Status = code, status
}

func (s *Server) post(ctx context.Context, d *Delivery) (code int, status string) {
	s.mu.Lock()
	url := s.hookURL
	s.mu.Unlock()
	if url == "" {
		return 0, "no webhook address is set"
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(d.Body))
	if err != nil {
		return 0, err.Error()
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "GitHub-Hookshot/standin")
	req.Header.Set("X-GitHub-Event", d.Event)
	req.Header.Set("X-GitHub-Delivery", d.GUID)
	req.Header.Set("X-GitHub-Hook-ID", fmt.Sprint(hookID))
	req.Header.Set("X-GitHub-Hook-Installation-Target-Type", "integration")
	req.Header.Set("X-GitHub-Hook-Installation-Target-ID", fmt.Sprint(s.opt.AppID))
	req.Header.Set("X-Hub-Signature-256", Sign(s.opt.Secret, d.Body))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = resp.Body.Close() }()
	// The body is read so that the connection can be used again; what it says does not matter to GitHub either.
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return resp.StatusCode, "OK"
	}
	return resp.StatusCode, http.StatusText(resp.StatusCode)
}

// Sign is the value of X-Hub-Signature-256 for a body.
func Sign(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

func newGUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
