package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/gatebot/gatebot/internal/crash"
	"github.com/gatebot/gatebot/internal/queue"
)

const (
	// maxBody: GitHub sends no event over 25 MB (docs: webhooks best practices).
	maxBody = 25 << 20
	// maxBuffered bounds the bodies in memory at once; the signature can only be checked on a whole one.
	maxBuffered = 4 * maxBody
	// storeTimeout leaves room under the 10 s after which GitHub counts a delivery as failed.
	storeTimeout = 8 * time.Second
)

// intake answers GitHub. It parses nothing and asks nobody: an event is stored, then GitHub gets its 202.
type intake struct {
	verify  *verifier
	q       queue.Queue
	log     *slog.Logger
	now     func() time.Time
	memory  *semaphore.Weighted
	healthy func(context.Context) error
	metrics *Metrics
}

func newIntake(v *verifier, q queue.Queue, log *slog.Logger, now func() time.Time) *intake {
	in := &intake{verify: v, q: q, log: log, now: now, memory: semaphore.NewWeighted(maxBuffered)}
	in.healthy = func(ctx context.Context) error {
		_, err := q.Get(ctx, queue.BucketJobs, "health")
		return ignoreMissing(err)
	}
	if h, ok := q.(interface{ Healthy(context.Context) error }); ok {
		in.healthy = h.Healthy
	}
	return in
}

// handler routes; what is not here is 404, and a wrong method 405. Without a secret there is nothing to deliver to.
func (in *intake) handler() *http.ServeMux {
	mux := http.NewServeMux()
	if in.verify != nil {
		mux.HandleFunc("POST /webhook", in.webhook)
	}
	mux.HandleFunc("GET /healthz", in.healthz)
	return mux
}

// refusal is an answer that is not a 2xx.
type refusal struct {
	status int
	reason string
}

func (r *refusal) Error() string { return r.reason }

func (in *intake) webhook(w http.ResponseWriter, r *http.Request) {
	event, delivery := r.Header.Get("X-GitHub-Event"), r.Header.Get("X-GitHub-Delivery")
	log := in.log.With("delivery", oneWord(delivery), "event", oneWord(event))
	ctx, cancel := context.WithTimeout(r.Context(), storeTimeout)
	defer cancel()
	start := time.Now()
	said, err := in.accept(ctx, w, r, event, delivery)
	in.count(event, said, err, time.Since(start))
	var no *refusal
	switch {
	case errors.As(err, &no):
		log.WarnContext(ctx, "webhook refused", "status", no.status, "reason", no.reason, "from", r.RemoteAddr)
		if no.status == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", "30")
		}
		http.Error(w, "gatebot: "+no.reason, no.status)
	case errors.Is(err, queue.ErrTooLarge):
		log.ErrorContext(ctx, "webhook larger than the queue takes", "error", err)
		http.Error(w, "gatebot: the event is larger than the queue takes", http.StatusRequestEntityTooLarge)
	case err != nil: // the store: GitHub must see a failure, so that the delivery can be repeated
		log.ErrorContext(ctx, "webhook not stored", "error", err)
		w.Header().Set("Retry-After", "30")
		http.Error(w, "gatebot: the event could not be stored", http.StatusServiceUnavailable)
	default:
		log.InfoContext(ctx, "webhook "+said)
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, said+"\n") // the sender may be gone; the event is stored
	}
}

// accept takes one delivery as far as the store.
func (in *intake) accept(ctx context.Context, w http.ResponseWriter, r *http.Request, event, delivery string) (string, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return "", &refusal{http.StatusUnsupportedMediaType, "content type must be application/json (set it in the App's webhook settings)"}
	}
	if r.ContentLength > maxBody {
		return "", &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("body over %d bytes", maxBody)}
	}
	size := r.ContentLength
	if size < 0 {
		size = maxBody
	}
	if err := in.memory.Acquire(ctx, size); err != nil {
		return "", &refusal{http.StatusServiceUnavailable, "too many deliveries at once"}
	}
	defer in.memory.Release(size)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return "", &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("body over %d bytes", maxBody)}
	case err != nil:
		return "", &refusal{http.StatusBadRequest, "body could not be read: " + err.Error()}
	}
	signature := r.Header.Get("X-Hub-Signature-256")
	switch {
	case signature == "":
		return "", &refusal{http.StatusUnauthorized, "X-Hub-Signature-256 is missing (set a secret in the App's webhook settings)"}
	case !in.verify.check(signature, body):
		return "", &refusal{http.StatusUnauthorized, "signature does not match (is the secret the one of the App's settings?)"}
	case event == "" || len(event) > 100:
		return "", &refusal{http.StatusBadRequest, "X-GitHub-Event is missing"}
	case delivery == "" || len(delivery) > 100:
		return "", &refusal{http.StatusBadRequest, "X-GitHub-Delivery is missing"}
	case !json.Valid(body):
		return "", &refusal{http.StatusBadRequest, "body is not JSON"}
	case !Known(event):
		return "of a kind that gatebot does not use", nil
	}
	data, err := json.Marshal(queue.Event{Delivery: delivery, Type: event, Received: in.now().UTC(), Payload: body})
	if err != nil {
		return "", err
	}
	duplicate, err := in.q.Publish(ctx, queue.Events, event, delivery, data)
	if err != nil {
		return "", err
	}
	crash.At(crash.EventStored)
	if duplicate {
		return "stored already", nil
	}
	return "stored", nil
}

// count keeps the number of series small: what a stranger sends is one of them.
func (in *intake) count(event, said string, err error, took time.Duration) {
	if !Known(event) {
		event = "other"
	}
	if err != nil {
		said = "refused"
	} else {
		in.metrics.observe("gatebot_webhook_seconds", took)
		in.metrics.set("gatebot_last_delivery_unix_seconds", float64(in.now().Unix()))
	}
	in.metrics.add("gatebot_webhooks_total", 1, "event", event, "answer", said)
}

func (in *intake) healthz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), storeTimeout)
	defer cancel()
	if err := in.healthy(ctx); err != nil {
		in.log.WarnContext(ctx, "not healthy", "error", err)
		http.Error(w, "gatebot: the queue cannot be reached", http.StatusServiceUnavailable)
		return
	}
	_, _ = io.WriteString(w, "ok\n") // the asker may be gone
}

// oneWord keeps what a stranger sent from filling the log.
func oneWord(s string) string {
	s = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return '_'
		}
		return r
	}, s)
	return s[:min(len(s), 100)]
}
