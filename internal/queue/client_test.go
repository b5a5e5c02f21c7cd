package queue_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/gatebot/gatebot/internal/queue"
)

// desk is a queue with a runner r1 and a developer alice, both of pool p, and bob of pool other.
func desk(t *testing.T) (s *queue.Server, runner, alice, bob queue.Options) {
	t.Helper()
	var keys [3]string
	var opts [3]queue.Options
	for i := range keys {
		pub, seed, err := queue.NewRunnerKey()
		if err != nil {
			t.Fatal(err)
		}
		keys[i], opts[i] = pub, queue.Options{Seed: seed, Role: queue.RoleRunner, Timeout: patience}
	}
	s = openTest(t, queue.EmbeddedOptions{Listen: "127.0.0.1:0",
		Runners: []queue.Runner{{Name: "r1", Key: keys[0], Pools: []string{"p"}}},
		Clients: []queue.Client{{Name: "alice", Key: keys[1], Pools: []string{"p"}}, {Name: "bob", Key: keys[2], Pools: []string{"other", "p"}}}})
	for i := range opts {
		opts[i].URL = s.URL()
	}
	return s, opts[0], opts[1], opts[2]
}

// soon is the time for what will not be answered: a write that is not allowed is an error when its time is up.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	t.Cleanup(cancel)
	return ctx
}

// asker asks for jobs. An answer that takes a second may come to nobody, and its job is then leased to nobody for a while: on a
// machine that stood still nothing is proven by what came instead.
type asker struct {
	*testing.T
	queue.Trier
	slowest time.Duration
}

// stoodStill ends an attempt of undisturbed.
type stoodStill struct{}

// undisturbed runs a test, and again with a queue of its own where the machine stood still in it.
func undisturbed(t *testing.T, test func(ask *asker)) {
	t.Helper()
	for range 20 {
		if attempt(&asker{T: t}, test) {
			return
		}
		t.Log("the machine stood still, which proves nothing: once more")
	}
	t.Fatal("not tested: the machine stood still 20 times in a row")
}

func attempt(ask *asker, test func(ask *asker)) (whole bool) {
	defer func() {
		if r := recover(); r != nil && r != (stoodStill{}) {
			panic(r)
		}
	}()
	test(ask)
	return true
}

func (a *asker) try(ctx context.Context, consumers ...queue.Consumer) (queue.Message, error) {
	asked := time.Now()
	m, err := a.Try(ctx, queue.Jobs, consumers...)
	a.slowest = max(a.slowest, time.Since(asked))
	return m, err
}

// wrong fails, where the answers came in time.
func (a *asker) wrong(format string, args ...any) {
	a.Helper()
	if a.slowest > 900*time.Millisecond {
		panic(stoodStill{})
	}
	a.Fatalf(format, args...)
}

func dial(t *testing.T, o queue.Options) *queue.Conn {
	t.Helper()
	c, err := queue.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// TestClientWork: what a developer's job needs, with a client's and a runner's rights only.
func TestClientWork(t *testing.T) {
	t.Parallel()
	undisturbed(t, func(ask *asker) { clientWork(t, ask) })
}

func clientWork(t *testing.T, ask *asker) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, ro, ao, _ := desk(t)
	r, a := dial(t, ro), dial(t, ao)
	ask.Trier = r
	ring, stop, err := r.Bell("p")
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if m, err := ask.try(ctx, queue.ByPriority([]string{"p"})...); m != nil || err != nil {
		t.Fatalf("an empty queue gave %v, %v", m, err)
	}
	if err := a.PutBlob(ctx, queue.FireBundleName("p", "alice", "j1"), bytes.NewReader(noise(1<<20))); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Publish(ctx, queue.Jobs, queue.FireSub("p", "alice"), "j1", []byte("job")); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ring:
	case <-ctx.Done():
		t.Fatal("the bell did not ring")
	}
	m, err := ask.try(ctx, queue.ByPriority([]string{"p"})...)
	if err != nil || m == nil {
		ask.wrong("the job did not come: %v", err)
	}
	if pool, client, ok := queue.ParseFireSub(m.Sub()); !ok || pool != "p" || client != "alice" {
		t.Errorf("the job came as %q", m.Sub())
	}
	blob, err := r.GetBlob(ctx, queue.FireBundleName("p", "alice", "j1"))
	if err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(blob); err != nil || len(data) != 1<<20 {
		t.Errorf("bundle: %d bytes, %v", len(data), err)
	}
	if _, err := queue.GetFireState(ctx, a, "p", "alice", "j1"); !errors.Is(err, queue.ErrNotFound) {
		t.Errorf("state before there is one: %v", err)
	}
	if err := queue.PutFireState(ctx, r, "p", "alice", "j1", queue.FireState{State: queue.FireDone, Epoch: 1, Code: 7}); err != nil {
		t.Fatal(err)
	}
	if err := r.PutNote(ctx, queue.LogName("p", "alice", "j1", 1, 0), noise(300<<10)); err != nil {
		t.Fatal(err)
	}
	if st, err := queue.GetFireState(ctx, a, "p", "alice", "j1"); err != nil || st.Code != 7 {
		t.Errorf("state %+v, %v", st, err)
	}
	if data, err := a.GetNote(ctx, queue.LogName("p", "alice", "j1", 1, 0)); err != nil || len(data) != 300<<10 {
		t.Errorf("log: %d bytes, %v", len(data), err)
	}
	if err := queue.CancelJob(ctx, a, "p", "alice", "j1", "changed my mind"); err != nil {
		t.Fatal(err)
	}
	if why, yes, err := queue.Cancelled(ctx, r, "p", "alice", "j1"); err != nil || !yes || why != "changed my mind" {
		t.Errorf("cancelled %v %q, %v", yes, why, err)
	}
	if err := m.Ack(ctx); err != nil {
		t.Error(err)
	}
}

// TestClientMayNot: a client speaks for itself only, takes no work, and cannot send what makes a check run.
func TestClientMayNot(t *testing.T) {
	t.Parallel()
	_, _, ao, _ := desk(t)
	may := spoken(t, ao, []string{
		"jobs.p", "jobs.p.high", "jobs.p.low", "jobs.p.fire.bob", "jobs.other.fire.alice", "jobs.p.fire.alice.x", "events.push", "results.r1",
		"results.alice", "blobs.m.bundles.p.x", "blobs.m.fires.p.bob.x", "blobs.m.fires.other.alice.x", "notes.logs.p.alice.j.state",
		"notes.cancels.p.bob.x", "notes.cancels.p.gate.x", "notes.beats.r1", "gatebot.api.DIRECT.GET.NOTES.notes.logs.p.bob.x.state",
		"gatebot.api.DIRECT.GET.BLOBS.blobs.m.fires.p.bob.x", "gatebot.api.DIRECT.GET.BLOBS.blobs.m.bundles.p.x", "gatebot.api.DIRECT.GET.NOTES",
		"gatebot.api.CONSUMER.MSG.NEXT.JOBS.pool-p", "gatebot.api.CONSUMER.MSG.NEXT.JOBS.fire-p", "gatebot.api.CONSUMER.INFO.JOBS.fire-p",
		"$JS.ACK.JOBS.fire-p.1.1.1.1.1", "bell.p", "$JS.API.INFO", "grants.p.alice.j", "grants.p.gate.j",
	})
	if len(may) > 0 {
		t.Errorf("a client may publish to %v", may)
	}
}

// TestRunnerMayNotForClients: a runner sends no developer's job and writes no log of a pool that it does not serve.
func TestRunnerMayNotForClients(t *testing.T) {
	t.Parallel()
	_, ro, _, _ := desk(t)
	may := spoken(t, ro, []string{"jobs.p.fire.alice", "jobs.p.high", "notes.logs.other.bob.j.state", "notes.cancels.p.alice.x", "notes.beats.r2",
		"blobs.m.fires.p.alice.x", "gatebot.api.DIRECT.GET.NOTES.notes.logs.other.bob.x.state", "gatebot.api.DIRECT.GET.BLOBS.blobs.m.fires.other.bob.x"})
	if len(may) > 0 {
		t.Errorf("a runner may publish to %v", may)
	}
}

// spoken publishes to subjects with the rights of o and returns those that were let through.
func spoken(t *testing.T, o queue.Options, subjects []string) (through []string) {
	t.Helper()
	key, err := nkeys.FromSeed(o.Seed)
	if err != nil {
		t.Fatal(err)
	}
	pub, err := key.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	var denied lockedBuffer
	nc := plainConn(t, o.URL, nats.Nkey(pub, key.Sign), nats.CustomInboxPrefix("_INBOX."+pub),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { _, _ = denied.Write([]byte(err.Error() + "\n")) }))
	for _, s := range append(subjects, "last.of.all") {
		if err := nc.Publish(s, []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); !strings.Contains(denied.String(), "last.of.all"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) { // the error handler runs beside Flush
			t.Fatalf("the server refused nothing: %q", denied.String())
		}
	}
	all := strings.ToLower(denied.String())
	for _, s := range subjects {
		if !strings.Contains(all, strings.ToLower(`publish to "`+s+`"`)) {
			through = append(through, s)
		}
	}
	return through
}

// TestPriorities: a free runner takes the highest class there is, whatever came first.
func TestPriorities(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) queue.Queue{
		"memory":   func(*testing.T) queue.Queue { return queue.NewMemory() },
		"embedded": func(t *testing.T) queue.Queue { return openTest(t, queue.EmbeddedOptions{Pools: []string{"a", "b"}}) },
	} {
		t.Run(name, func(t *testing.T) {
			undisturbed(t, func(ask *asker) { priorities(t, open(t), ask) })
		})
	}
}

func priorities(t *testing.T, q queue.Queue, ask *asker) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	ask.Trier = q.(queue.Trier)
	want := []string{"a.high", "b.high", "a", "b", "b.fire.alice", "a.low"}
	for _, sub := range []string{"a.low", "b", "b.fire.alice", "a", "b.high", "a.high"} {
		mustPublish(t, q, queue.Jobs, sub, "job "+sub)
	}
	var got []string
	for range want {
		m, err := ask.try(ctx, queue.ByPriority([]string{"a", "b"})...)
		if err != nil || m == nil {
			ask.wrong("after %v: %v, %v", got, m, err)
		}
		got = append(got, m.Sub())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		ask.wrong("order %v, want %v", got, want)
	}
	if m, err := ask.try(ctx, queue.ByPriority([]string{"a", "b"})...); m != nil || err != nil {
		ask.wrong("one more: %v, %v", m, err)
	}
}

// TestForOneRunner: a job for one runner comes to that one only, with its rights, before all others.
func TestForOneRunner(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) (sent, runner queue.Queue){
		"memory": func(*testing.T) (queue.Queue, queue.Queue) { q := queue.NewMemory(); return q, q },
		"embedded": func(t *testing.T) (queue.Queue, queue.Queue) {
			server, o := aRunner(t, queue.EmbeddedOptions{})
			return server, dial(t, o)
		},
	} {
		t.Run(name, func(t *testing.T) {
			undisturbed(t, func(ask *asker) {
				sent, runner := open(t)
				ask.Trier = runner.(queue.Trier)
				forOneRunner(t, sent, ask)
			})
		})
	}
}

func forOneRunner(t *testing.T, sent queue.Queue, ask *asker) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, sub := range []string{"p.high", queue.ToSub("p", "r2"), queue.ToSub("p", "r1"), "p.low"} {
		mustPublish(t, sent, queue.Jobs, sub, "job "+sub)
	}
	for _, want := range []string{"p.to.r1", "p.high", "p.low"} {
		m, err := ask.try(ctx, queue.ForRunner("r1", []string{"p"})...)
		if err != nil || m == nil || m.Sub() != want {
			ask.wrong("got %v, %v, want %s", m, err, want)
		}
		if err := m.Ack(ctx); err != nil {
			t.Error(err)
		}
	}
	if m, err := ask.try(ctx, queue.ForRunner("r1", []string{"p"})...); m != nil || err != nil {
		t.Errorf("another runner's: %v, %v", m, err)
	}
}

// TestOneRunnerIsLeft: developers' jobs hold all runners of a pool but one, also when that one is idle; a pool of one is
// theirs too.
func TestOneRunnerIsLeft(t *testing.T) {
	t.Parallel()
	undisturbed(t, func(ask *asker) { oneRunnerIsLeft(t, ask) })
}

func oneRunnerIsLeft(t *testing.T, ask *asker) {
	t.Helper()
	var rs []queue.Runner
	for name, pools := range map[string][]string{"r1": {"p"}, "r2": {"p"}, "r3": {"p", "small"}} {
		public, _, err := queue.NewRunnerKey()
		if err != nil {
			t.Fatal(err)
		}
		rs = append(rs, queue.Runner{Name: name, Key: public, Pools: pools})
	}
	s := openTest(t, queue.EmbeddedOptions{Runners: rs})
	ask.Trier = s
	for pool, want := range map[string]int{"p": 2, "small": 1} {
		for i := range 4 {
			mustPublish(t, s, queue.Jobs, queue.FireSub(pool, "alice"), fmt.Sprint(pool, i))
		}
		taken := 0
		for {
			m, err := ask.try(t.Context(), queue.ByPriority([]string{pool})...)
			if err != nil {
				t.Fatal(err)
			}
			if m == nil {
				break
			}
			taken++
		}
		if taken != want {
			ask.wrong("pool %s: %d runners have jobs of developers, want %d", pool, taken, want)
		}
		mustPublish(t, s, queue.Jobs, pool, "commit "+pool)
		if m, err := ask.try(t.Context(), queue.ByPriority([]string{pool})...); m == nil || err != nil || m.Sub() != pool {
			ask.wrong("pool %s: the commit's job: %v, %v", pool, m, err)
		}
	}
}

// TestRunnerStates: what runners say of themselves, and who has gone silent.
func TestRunnerStates(t *testing.T) {
	t.Parallel()
	s, ro, _, _ := desk(t)
	r := dial(t, ro)
	now := time.Now().UTC()
	if err := queue.Beat(t.Context(), r, queue.RunnerState{Name: "r1", State: queue.RunnerBusy, Job: "j", At: now}); err != nil {
		t.Fatal(err)
	}
	all, err := queue.RunnerStates(t.Context(), s, "r1", "r2")
	if err != nil || len(all) != 1 || all[0].State != queue.RunnerBusy || !all[0].Fresh(now) || all[0].Fresh(now.Add(2*queue.RunnerFresh)) {
		t.Errorf("%+v, %v", all, err)
	}
	if err := queue.Beat(soon(t), r, queue.RunnerState{Name: "r2", At: now}); err == nil {
		t.Error("a runner spoke for another")
	}
}

// TestExhaustedFire: a developer whose job no runner finished is told, and the server's own handler is not asked.
func TestExhaustedFire(t *testing.T) {
	t.Parallel()
	q := queue.NewMemory()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	mustPublish(t, q, queue.Jobs, "p.fire.alice", `{"id":"j1"}`)
	c := queue.JobConsumers("p")[2]
	c.Lease, c.MaxDeliver = 20*time.Millisecond, 1
	if m, err := q.Try(ctx, queue.Jobs, c); m == nil || err != nil {
		t.Fatal(m, err)
	}
	go func() {
		_ = q.Exhausted(ctx, func(context.Context, string, []byte, int) error {
			t.Error("the server was asked about a developer's job")
			return nil
		})
	}()
	for ctx.Err() == nil {
		if _, err := q.Try(ctx, queue.Jobs, c); err != nil {
			t.Fatal(err)
		}
		if st, err := queue.GetFireState(ctx, q, "p", "alice", "j1"); err == nil {
			if st.State != queue.FireDone || st.Class != queue.ClassInfra || !strings.Contains(st.Reason, "none finished it") {
				t.Errorf("state %+v", st)
			}
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Error("nobody was told")
}

// TestUndisturbed: what came wrong on a machine that stood still is tried again.
func TestUndisturbed(t *testing.T) {
	attempts := 0
	undisturbed(t, func(ask *asker) {
		if attempts++; attempts == 1 {
			ask.slowest = time.Second
			ask.wrong("nothing came")
		}
	})
	if attempts != 2 {
		t.Errorf("%d attempts, want 2", attempts)
	}
}
