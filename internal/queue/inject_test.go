package queue_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/gatebot/gatebot/internal/queue"
)

// TestReplySubject: a runner asks the server to send an answer to a subject that the runner may not publish to.
func TestReplySubject(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s, o := aRunner(t, queue.EmbeddedOptions{})
	if err := s.PutBlob(ctx, queue.BundleName("p", "k"), strings.NewReader(`{"type":"push"}`)); err != nil {
		t.Fatal(err)
	}
	mustPublish(t, s, queue.Jobs, "p", "job")
	key, err := nkeys.FromSeed(o.Seed)
	if err != nil {
		t.Fatal(err)
	}
	pub, err := key.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	nc := plainConn(t, o.URL, nats.Nkey(pub, key.Sign), nats.CustomInboxPrefix("_INBOX."+pub))
	const head = "gatebot.api.DIRECT.GET.BLOBS.blobs.m.bundles.p.k"
	if m, err := nc.Request(head, nil, patience); err != nil || !strings.Contains(string(m.Data), "pieces") {
		t.Fatalf("the honest request does not work: %v", err)
	}
	for _, reply := range []string{"events.push", "results.r2", "jobs.other", "$KV.jobs.x"} {
		for _, req := range []struct{ subj, body string }{
			{head, ""},
			{"gatebot.api.CONSUMER.MSG.NEXT.JOBS.pool-p", `{"batch":1}`},
			{"gatebot.api.CONSUMER.INFO.JOBS.pool-p", ""},
			{"results.r1", "x"},
		} {
			if err := nc.PublishRequest(req.subj, reply, []byte(req.body)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	for stream, c := range map[queue.Stream]queue.Consumer{queue.Events: {Name: "e"}, queue.Jobs: {Name: "pool-other", Sub: "other"}, queue.Results: {Name: "r", Sub: "r2"}} {
		short, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
		if m, err := s.Next(short, stream, c); err == nil {
			t.Errorf("%s holds %q", stream, m.Data())
		}
		cancel()
	}
	if keys, err := s.Keys(ctx, queue.BucketJobs); err != nil || len(keys) > 0 {
		t.Errorf("records %q, %v", keys, err)
	}
}
