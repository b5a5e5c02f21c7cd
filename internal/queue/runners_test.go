package queue_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/internal/queue/queuetest"
)

// aRunner opens a listening queue with one runner of pool p.
func aRunner(t *testing.T, o queue.EmbeddedOptions) (*queue.Server, queue.Options) {
	t.Helper()
	pub, seed, err := queue.NewRunnerKey()
	if err != nil {
		t.Fatal(err)
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	o.Runners = []queue.Runner{{Name: "r1", Key: pub, Pools: []string{"p"}}}
	o.Pools = []string{"other"}
	s := openTest(t, o)
	return s, queue.Options{URL: s.URL(), Seed: seed, Role: queue.RoleRunner, Timeout: patience}
}

// TestRunnerWork: what a runner needs works with its permissions only.
func TestRunnerWork(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, o := aRunner(t, queue.EmbeddedOptions{})
	r, err := queue.Connect(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	mustPublish(t, s, queue.Jobs, "p", "job")
	if err := s.PutBlob(ctx, queue.BundleName("p", "k"), bytes.NewReader(noise(1<<20))); err != nil {
		t.Fatal(err)
	}
	m, err := r.Next(ctx, queue.Jobs, queue.JobConsumer("p"))
	if err != nil {
		t.Fatal(err)
	}
	blob, err := r.GetBlob(ctx, queue.BundleName("p", "k"))
	if err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(blob); err != nil || len(data) != 1<<20 {
		t.Errorf("bundle: %d bytes, %v", len(data), err)
	}
	if err := m.Extend(); err != nil {
		t.Error(err)
	}
	for want := 1; want <= 2; want++ {
		if g, err := r.Claim(ctx, "p", "", "job", "r1"); err != nil || g.Epoch != want {
			t.Errorf("grant %d: %+v, %v", want, g, err)
		}
	}
	if dup, err := r.Publish(ctx, queue.Results, "r1", "job/1", []byte("result")); err != nil || dup {
		t.Errorf("result: duplicate = %v, %v", dup, err)
	}
	if dup, err := r.Publish(ctx, queue.Results, "r1", "job/1", []byte("result")); err != nil || !dup {
		t.Errorf("result again: duplicate = %v, %v", dup, err)
	}
	if err := r.Settle(ctx, queue.Grant{Pool: "p", ID: "job", Epoch: 2}); err != nil {
		t.Error(err)
	}
	if err := m.Ack(ctx); err != nil {
		t.Error(err)
	}
	if g, err := s.Granted(ctx, "p", "", "job"); err != nil || !g.Settled {
		t.Errorf("the server sees %+v, %v", g, err)
	}
	got, err := s.Next(ctx, queue.Results, queue.Consumer{Name: "server"})
	if err != nil || string(got.Data()) != "result" || got.Sub() != "r1" {
		t.Errorf("server got %v, %v", got, err)
	}
	if waiting, leased, err := s.Depth(ctx, queue.Jobs, queue.JobConsumer("p")); err != nil || waiting+leased != 0 {
		t.Errorf("%d waiting, %d leased, %v", waiting, leased, err)
	}
}

// plainConn speaks NATS as a stranger's program would. A process that stood still while it signed in is tried again: the
// server gives it two seconds.
func plainConn(t *testing.T, url string, opts ...nats.Option) *nats.Conn {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		nc, err := nats.Connect(url, append(opts, nats.Timeout(patience))...)
		if err == nil {
			t.Cleanup(nc.Close)
			return nc
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// TestRunnerMayNot speaks NATS directly, as a taken-over runner would.
func TestRunnerMayNot(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s, o := aRunner(t, queue.EmbeddedOptions{})
	if err := s.PutBlob(ctx, queue.BundleName("other", "k"), strings.NewReader("secret")); err != nil {
		t.Fatal(err)
	}
	key, err := nkeys.FromSeed(o.Seed)
	if err != nil {
		t.Fatal(err)
	}
	pub, err := key.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var denied []string
	nc := plainConn(t, o.URL, nats.Nkey(pub, key.Sign), nats.CustomInboxPrefix("_INBOX."+pub),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			mu.Lock()
			denied = append(denied, err.Error())
			mu.Unlock()
		}))
	subjects := []string{
		"jobs.p", "jobs.other", "events.push", "events._", "results.r2", "results.r1.x",
		"$KV.jobs.k", "$KV.leases.k", "blobs.m.bundles.p.x", "blobs.c.bundles.p.x.y.0",
		"$JS.API.INFO", "$JS.API.STREAM.LIST", "$JS.API.STREAM.INFO.EVENTS", "$JS.API.STREAM.CREATE.X",
		"$JS.API.STREAM.UPDATE.JOBS", "$JS.API.STREAM.DELETE.JOBS", "$JS.API.STREAM.PURGE.EVENTS",
		"$JS.API.STREAM.MSG.GET.EVENTS", "$JS.API.STREAM.MSG.DELETE.JOBS", "$JS.API.DIRECT.GET.KV_jobs",
		"$JS.API.DIRECT.GET.BLOBS", "$JS.API.DIRECT.GET.BLOBS.blobs.m.bundles.other.k",
		"$JS.API.CONSUMER.CREATE.JOBS", "$JS.API.CONSUMER.CREATE.BLOBS.x", "$JS.API.CONSUMER.DURABLE.CREATE.JOBS.x",
		"$JS.API.CONSUMER.DELETE.JOBS.pool-p", "$JS.API.CONSUMER.INFO.JOBS.pool-other",
		"$JS.API.CONSUMER.MSG.NEXT.JOBS.pool-other", "$JS.API.CONSUMER.MSG.NEXT.EVENTS.x",
		"gatebot.api.INFO", "gatebot.api.CONSUMER.INFO.JOBS.pool-other", "gatebot.api.CONSUMER.MSG.NEXT.JOBS.pool-other",
		"gatebot.api.CONSUMER.MSG.NEXT.JOBS.to-1-p-r2", "jobs.p.to.r1",
		"gatebot.api.DIRECT.GET.BLOBS.blobs.m.bundles.other.k", "gatebot.api.DIRECT.GET.BLOBS",
		"$JS.ACK.JOBS.pool-other.1.1.1.1.1", "$JS.ACK.EVENTS.x.1.1.1.1.1",
		"grants.other.gate.j", "gatebot.api.DIRECT.GET.GRANTS.grants.other.gate.j", "gatebot.api.DIRECT.GET.GRANTS",
		"$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.JOBS.pool-p", "_INBOX.other.x", "$SYS.REQ.SERVER.PING",
	}
	for _, subj := range subjects {
		if err := nc.Publish(subj, []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	listen := []string{">", "jobs.>", "events.>", "$KV.>", "_INBOX.>", "$JS.EVENT.>", "results.r1"}
	for _, subj := range listen {
		if _, err := nc.SubscribeSync(subj); err != nil {
			t.Fatal(err)
		}
	}
	// The error handler runs beside all this.
	var still []string
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		mu.Lock()
		all := strings.ToLower(strings.Join(denied, "\n"))
		mu.Unlock()
		still = nil
		for _, subj := range subjects {
			if !strings.Contains(all, strings.ToLower(`publish to "`+subj+`"`)) {
				still = append(still, "publish to "+subj)
			}
		}
		for _, subj := range listen {
			if !strings.Contains(all, strings.ToLower(`subscription to "`+subj+`"`)) {
				still = append(still, "listen to "+subj)
			}
		}
		if len(still) == 0 || time.Now().After(deadline) {
			break
		}
	}
	for _, what := range still {
		t.Errorf("a runner may %s", what)
	}
	if _, err := s.Get(ctx, queue.BucketJobs, "k"); !errors.Is(err, queue.ErrNotFound) {
		t.Errorf("record after the attack: %v", err)
	}
}

func TestStrangersRefused(t *testing.T) {
	t.Parallel()
	_, o := aRunner(t, queue.EmbeddedOptions{})
	if nc, err := nats.Connect(o.URL); err == nil {
		nc.Close()
		t.Error("a connection without a key was taken")
	}
	_, seed, err := queue.NewRunnerKey()
	if err != nil {
		t.Fatal(err)
	}
	o.Seed = seed
	var log lockedBuffer
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	go func() { // it tries for ever and says so
		for !strings.Contains(log.String(), "cannot reach nats://") && ctx.Err() == nil {
			time.Sleep(20 * time.Millisecond)
		}
		cancel()
	}()
	if c, err := queue.Connect(ctx, o); err == nil {
		_ = c.Close()
		t.Error("an unknown key was taken")
	}
	if !strings.Contains(log.String(), "trying again in") {
		t.Errorf("the log does not say what happens: %s", log.String())
	}
	o.Seed = []byte("nonsense")
	if _, err := queue.Connect(context.Background(), o); err == nil {
		t.Error("a bad seed was taken")
	}
}

// TestReconnect: the server goes away while a runner waits, and comes back on the same port.
func TestReconnect(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	pub, seed, err := queue.NewRunnerKey()
	if err != nil {
		t.Fatal(err)
	}
	eo := queue.EmbeddedOptions{Dir: t.TempDir(), Listen: queuetest.OwnAddress(t) + ":0",
		Runners: []queue.Runner{{Name: "r1", Key: pub, Pools: []string{"p"}}}}
	s, err := queue.OpenEmbedded(ctx, eo)
	if err != nil {
		t.Fatal(err)
	}
	eo.Listen = strings.TrimPrefix(s.URL(), "nats://")
	var log lockedBuffer
	r, err := queue.Connect(ctx, queue.Options{URL: s.URL(), Seed: seed, Role: queue.RoleRunner,
		Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	got := make(chan queue.Message, 1)
	go func() {
		if m, err := r.Next(ctx, queue.Jobs, queue.JobConsumer("p")); err == nil {
			got <- m
		}
	}()
	time.Sleep(200 * time.Millisecond)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(log.String(), "cannot reach") && ctx.Err() == nil {
		time.Sleep(50 * time.Millisecond)
	}
	if _, err := r.Publish(ctx, queue.Results, "r1", "x", nil); !errors.Is(err, queue.ErrUnavailable) {
		t.Errorf("publish while the queue is away: %v, want ErrUnavailable", err)
	}
	s = openTest(t, eo)
	mustPublish(t, s, queue.Jobs, "p", "job")
	select {
	case m := <-got:
		if err := m.Ack(ctx); err != nil {
			t.Error(err)
		}
	case <-ctx.Done():
		t.Errorf("the runner did not get the job; log: %s", log.String())
	}
}

// TestTwoRunnersShareAPool: each gets its own job at the same time.
func TestTwoRunnersShareAPool(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, o := aRunner(t, queue.EmbeddedOptions{})
	mustPublish(t, s, queue.Jobs, "p", "1")
	mustPublish(t, s, queue.Jobs, "p", "2")
	seen := map[string]bool{}
	for range 2 {
		r, err := queue.Connect(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Close() })
		m, err := r.Next(ctx, queue.Jobs, queue.JobConsumer("p"))
		if err != nil {
			t.Fatal(err)
		}
		seen[string(m.Data())] = true
	}
	if len(seen) != 2 {
		t.Errorf("two runners hold %v", seen)
	}
}

func TestInProcessOnly(t *testing.T) {
	t.Parallel()
	s := openTest(t, queue.EmbeddedOptions{})
	if s.URL() != "" {
		t.Errorf("a queue that does not listen has the address %s", s.URL())
	}
	if err := s.Healthy(context.Background()); err != nil {
		t.Errorf("healthy: %v", err)
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestRelease: the next process gives back what a killed one had leased, and gives back nothing that is done with.
func TestRelease(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, o := aRunner(t, queue.EmbeddedOptions{})
	mustPublish(t, s, queue.Jobs, "p", "job")
	var token string
	for want := 1; want <= 2; want++ {
		r, err := queue.Connect(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			if err := r.Release(ctx, token); err != nil {
				t.Fatal(err)
			}
		}
		m, err := r.Next(ctx, queue.Jobs, queue.JobConsumer("p"))
		if err != nil || m.Deliveries() != want {
			t.Fatalf("delivery %d: %v, %v", want, m, err)
		}
		if want == 2 {
			if err := m.Ack(ctx); err != nil {
				t.Error(err)
			}
			if err := r.Release(ctx, m.(interface{ Token() string }).Token()); err != nil {
				t.Error(err)
			}
			short, end := context.WithTimeout(ctx, 500*time.Millisecond)
			if again, err := r.Next(short, queue.Jobs, queue.JobConsumer("p")); err == nil {
				t.Errorf("a job that was done came back: delivery %d", again.Deliveries())
			}
			end()
		}
		token = m.(interface{ Token() string }).Token()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Release(ctx, "jobs.p"); err == nil {
		t.Error("a subject that is no token was taken")
	}
}
