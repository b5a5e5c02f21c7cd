// Package queuetest holds the tests that every queue.Queue must pass.
package queuetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/internal/queue"
)

// lease is short so that tests of its end are; long enough for a slow machine under the race detector.
const lease = 2 * time.Second

// Conformance runs every test against queues that open makes. The queue is closed by the test's clean-up.
func Conformance(t *testing.T, open func(*testing.T) queue.Queue) {
	for _, c := range []struct {
		name string
		f    func(*testing.T, queue.Queue)
	}{
		{"order and subjects", order},
		{"same id once", sameID},
		{"filter", filter},
		{"consumers have their own place", places},
		{"work queue forgets what is acknowledged", workQueue},
		{"lease runs out", leaseEnds},
		{"heart-beat holds the lease", heartBeat},
		{"retry with delay", retry},
		{"drop", drop},
		{"in flight limit", inFlight},
		{"exhausted", exhausted},
		{"exhausted handler fails first", exhaustedAgain},
		{"next ends with its context", nextEnds},
		{"large message", large},
		{"bad names", badNames},
		{"records", records},
		{"record keys", recordKeys},
		{"compare and swap", cas},
		{"blobs", blobs},
		{"grants", grants},
		{"grants of many at once", manyGrants},
		{"jobs of one client", fireLimit},
		{"closed", closed},
	} {
		t.Run(c.name, func(t *testing.T) { c.f(t, open(t)) })
	}
}

func ctxFor(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func publish(t *testing.T, q queue.Queue, s queue.Stream, sub, id, data string) bool {
	t.Helper()
	dup, err := q.Publish(ctxFor(t), s, sub, id, []byte(data))
	if err != nil {
		t.Fatalf("publish %s: %v", id, err)
	}
	return dup
}

func next(t *testing.T, q queue.Queue, s queue.Stream, c queue.Consumer) queue.Message {
	t.Helper()
	m, err := q.Next(ctxFor(t), s, c)
	if err != nil {
		t.Fatalf("next of %s: %v", s, err)
	}
	return m
}

func nothing(t *testing.T, q queue.Queue, s queue.Stream, c queue.Consumer, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	if m, err := q.Next(ctx, s, c); err == nil {
		t.Fatalf("got %q, want nothing", m.Data())
	} else if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("next: %v, want the context's error", err)
	}
}

// early is a message that must not come within d, and may all the same once least has passed since from: on a machine that
// stood still. It is nil when none came.
func early(t *testing.T, q queue.Queue, s queue.Stream, c queue.Consumer, d time.Duration, from time.Time, least time.Duration) queue.Message {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	m, err := q.Next(ctx, s, c)
	switch after := time.Since(from); {
	case err == nil && after < least:
		t.Fatalf("got %q after %s, want nothing before %s", m.Data(), after, least)
	case err != nil && !errors.Is(err, context.DeadlineExceeded):
		t.Fatalf("next: %v, want the context's error", err)
	}
	return m
}

func ack(t *testing.T, m queue.Message) {
	t.Helper()
	if err := m.Ack(ctxFor(t)); err != nil {
		t.Fatalf("ack: %v", err)
	}
}

func reader(name string) queue.Consumer { return queue.Consumer{Name: name, Lease: lease} }

func order(t *testing.T, q queue.Queue) {
	var want, got []string
	for i := range 20 {
		sub := []string{"push", "", "pull_request"}[i%3]
		publish(t, q, queue.Events, sub, fmt.Sprint(i), fmt.Sprint("event ", i))
		want = append(want, fmt.Sprintf("%s event %d", sub, i))
	}
	for range 20 {
		asked := time.Now()
		m := next(t, q, queue.Events, reader("a"))
		got = append(got, m.Sub()+" "+string(m.Data()))
		if m.Deliveries() != 1 && time.Since(asked) < lease { // else it may have come before, to nobody
			t.Errorf("deliveries %d, want 1", m.Deliveries())
		}
		ack(t, m)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	nothing(t, q, queue.Events, reader("a"), 200*time.Millisecond)
}

func sameID(t *testing.T, q queue.Queue) {
	for _, s := range []queue.Stream{queue.Events, queue.Jobs, queue.Results} {
		for i, id := range []string{"x", "x", "y\nz: Ünïcode", "y\nz: Ünïcode", "", ""} {
			if dup := publish(t, q, s, "p", id, "d"); dup != (i == 1 || i == 3) {
				t.Errorf("%s: publish %d of id %q: duplicate = %v", s, i, id, dup)
			}
		}
		for range 4 {
			ack(t, next(t, q, s, reader("a")))
		}
		nothing(t, q, s, reader("a"), 100*time.Millisecond)
	}
}

func filter(t *testing.T, q queue.Queue) {
	publish(t, q, queue.Jobs, "b200", "1", "one")
	publish(t, q, queue.Jobs, "h200", "2", "two")
	publish(t, q, queue.Jobs, "b200", "3", "three")
	h := queue.Consumer{Name: "h", Sub: "h200", Lease: lease}
	if m := next(t, q, queue.Jobs, h); string(m.Data()) != "two" {
		t.Errorf("got %q", m.Data())
	} else {
		ack(t, m)
	}
	nothing(t, q, queue.Jobs, h, 100*time.Millisecond)
	b := queue.Consumer{Name: "b", Sub: "b200", Lease: lease}
	for _, want := range []string{"one", "three"} {
		m := next(t, q, queue.Jobs, b)
		if string(m.Data()) != want || m.Sub() != "b200" {
			t.Errorf("got %q of %q, want %q", m.Data(), m.Sub(), want)
		}
		ack(t, m)
	}
}

func places(t *testing.T, q queue.Queue) {
	publish(t, q, queue.Results, "r1", "1", "one")
	for _, name := range []string{"a", "b"} {
		ack(t, next(t, q, queue.Results, reader(name)))
		nothing(t, q, queue.Results, reader(name), 100*time.Millisecond)
	}
}

func workQueue(t *testing.T, q queue.Queue) {
	publish(t, q, queue.Jobs, "p", "1", "one")
	ack(t, next(t, q, queue.Jobs, reader("a")))
	nothing(t, q, queue.Jobs, reader("a"), lease+300*time.Millisecond)
	if !publish(t, q, queue.Jobs, "p", "1", "one") {
		t.Error("the id of an acknowledged job was forgotten")
	}
}

func leaseEnds(t *testing.T, q queue.Queue) {
	publish(t, q, queue.Jobs, "p", "1", "one")
	asked := time.Now()
	first := next(t, q, queue.Jobs, reader("a"))
	m := early(t, q, queue.Jobs, reader("a"), lease/4, asked, lease)
	if m == nil {
		m = next(t, q, queue.Jobs, reader("a"))
	}
	if m.Deliveries() < 2 || string(m.Data()) != string(first.Data()) {
		t.Errorf("got %q, deliveries %d, want the same message with 2 or more", m.Data(), m.Deliveries())
	}
	ack(t, m)
}

func heartBeat(t *testing.T, q queue.Queue) {
	publish(t, q, queue.Jobs, "p", "1", "one")
	for range 20 {
		m := next(t, q, queue.Jobs, reader("a"))
		if held(t, q, m) {
			ack(t, m)
			nothing(t, q, queue.Jobs, reader("a"), lease*3/2)
			return
		}
		t.Log("the machine stood still for a lease, which proves nothing: once more")
	}
	t.Fatal("not tested: this machine stood still for a lease 20 times in a row")
}

// held extends a lease for longer than it lasts, and fails when it ends. It is false when an extension came so late that the
// lease may have ended before.
func held(t *testing.T, q queue.Queue, m queue.Message) bool {
	t.Helper()
	since := time.Now()
	for range 10 {
		time.Sleep(lease / 4)
		err := m.Extend()
		if time.Since(since) > lease*3/4 {
			return false
		}
		if err != nil {
			t.Fatalf("extend: %v", err)
		}
		since = time.Now()
	}
	return early(t, q, queue.Jobs, reader("a"), lease/4, since, lease*3/4) == nil
}

func retry(t *testing.T, q queue.Queue) {
	publish(t, q, queue.Events, "p", "1", "one")
	m := next(t, q, queue.Events, reader("a"))
	if err := m.Retry(0); err != nil {
		t.Fatal(err)
	}
	if m = next(t, q, queue.Events, reader("a")); m.Deliveries() < 2 {
		t.Errorf("deliveries %d, want 2 or more", m.Deliveries())
	}
	asked := time.Now()
	if err := m.Retry(500 * time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if m = early(t, q, queue.Events, reader("a"), 100*time.Millisecond, asked, 500*time.Millisecond); m == nil {
		m = next(t, q, queue.Events, reader("a"))
	}
	if m.Deliveries() < 3 {
		t.Errorf("deliveries %d, want 3 or more", m.Deliveries())
	}
	ack(t, m)
}

func drop(t *testing.T, q queue.Queue) {
	publish(t, q, queue.Jobs, "p", "1", "one")
	publish(t, q, queue.Jobs, "p", "2", "two")
	m := next(t, q, queue.Jobs, reader("a"))
	if err := m.Drop(ctxFor(t), "not\r\nJSON"); err != nil {
		t.Fatal(err)
	}
	if m = next(t, q, queue.Jobs, reader("a")); string(m.Data()) != "two" {
		t.Errorf("got %q", m.Data())
	}
	ack(t, m)
	nothing(t, q, queue.Jobs, reader("a"), lease+200*time.Millisecond)
}

func inFlight(t *testing.T, q queue.Queue) {
	for i := range 3 {
		publish(t, q, queue.Events, "p", fmt.Sprint(i), fmt.Sprint(i))
	}
	c := queue.Consumer{Name: "a", Lease: 10 * time.Second, MaxInFlight: 2}
	first := next(t, q, queue.Events, c)
	second := next(t, q, queue.Events, c)
	nothing(t, q, queue.Events, c, 200*time.Millisecond)
	ack(t, first)
	third := next(t, q, queue.Events, c)
	ack(t, second)
	ack(t, third)
}

// exhausted: the message goes to the handler once and leaves the work queue.
func exhausted(t *testing.T, q queue.Queue) {
	c := queue.Consumer{Name: "pool-p", Sub: "p", Lease: lease, MaxDeliver: 2}
	got := watchExhausted(t, q, 0)
	publish(t, q, queue.Jobs, "p", "1", "one")
	if s := untilHandled(t, q, c, got); s != "p one 2" {
		t.Errorf("handler got %q", s)
	}
	nothing(t, q, queue.Jobs, c, lease*3/2)
	publish(t, q, queue.Jobs, "p", "2", "two")
	if m := next(t, q, queue.Jobs, c); string(m.Data()) != "two" {
		t.Errorf("got %q", m.Data())
	} else {
		ack(t, m)
	}
}

func exhaustedAgain(t *testing.T, q queue.Queue) {
	c := queue.Consumer{Name: "pool-p", Sub: "p", Lease: lease, MaxDeliver: 1}
	got := watchExhausted(t, q, 1)
	publish(t, q, queue.Jobs, "p", "1", "one")
	untilHandled(t, q, c, got)
}

// untilHandled takes the job and lets the lease run out, as often as it comes, and gives what the handler was told. It comes
// as often as MaxDeliver says or, where a delivery found nobody listening any more, less often.
func untilHandled(t *testing.T, q queue.Queue, c queue.Consumer, got <-chan string) string {
	t.Helper()
	taken := 0
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); {
		ctx, cancel := context.WithTimeout(context.Background(), lease/4)
		_, err := q.Next(ctx, queue.Jobs, c)
		cancel()
		if err == nil {
			taken++
		}
		if taken > c.MaxDeliver {
			t.Fatalf("delivered %d times, want %d", taken, c.MaxDeliver)
		}
		select {
		case s := <-got:
			return s
		default:
		}
	}
	t.Fatalf("handler was not called after %d deliveries", taken)
	return ""
}

// watchExhausted runs Exhausted until the test ends; its handler fails the first fails times.
func watchExhausted(t *testing.T, q queue.Queue, fails int) <-chan string {
	t.Helper()
	ex, ok := q.(queue.Exhauster)
	if !ok {
		t.Fatalf("%T is no Exhauster", q)
	}
	got := make(chan string, 10)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = ex.Exhausted(ctx, func(_ context.Context, sub string, data []byte, n int) error {
			if fails > 0 {
				fails--
				return errors.New("not now")
			}
			got <- fmt.Sprintf("%s %s %d", sub, data, n)
			return nil
		})
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
	return got
}

func nextEnds(t *testing.T, q queue.Queue) {
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := q.Next(ctx, queue.Events, reader("a")); !errors.Is(err, context.Canceled) {
		t.Errorf("next: %v, want context.Canceled", err)
	}
	publish(t, q, queue.Events, "", "1", "one")
	ack(t, next(t, q, queue.Events, reader("a"))) // the broken-off wait took nothing away
}

func large(t *testing.T, q queue.Queue) {
	big := `{"commits":[` + strings.Repeat(`{"message":"fix decode step","id":"0123456789"},`, 500_000) + `{}]}`
	publish(t, q, queue.Events, "push", "1", big) // 23 MB, as GitHub's largest
	m := next(t, q, queue.Events, queue.Consumer{Name: "a", Lease: 10 * time.Second})
	if string(m.Data()) != big {
		t.Errorf("got %d bytes back, want %d", len(m.Data()), len(big))
	}
	ack(t, m)
}

func badNames(t *testing.T, q queue.Queue) {
	for _, sub := range []string{"a b", "*", "a.>", "a..b", ".", "a\nPUB x", "ä"} {
		if _, err := q.Publish(ctxFor(t), queue.Jobs, sub, "", nil); err == nil {
			t.Errorf("sub-subject %q was taken", sub)
		}
	}
	if _, err := q.Publish(ctxFor(t), "NOPE", "a", "", nil); err == nil {
		t.Error("an unknown stream was taken")
	}
	for _, name := range []string{"", "a.b", "a b", ">"} {
		if _, err := q.Next(ctxFor(t), queue.Jobs, queue.Consumer{Name: name}); err == nil {
			t.Errorf("consumer %q was taken", name)
		}
	}
	for _, name := range []string{"", "a//b", "/"} {
		if err := q.PutBlob(ctxFor(t), name, strings.NewReader("x")); err == nil {
			t.Errorf("blob name %q was taken", name)
		}
	}
	if _, err := q.Create(ctxFor(t), "nope", "k", nil); err == nil {
		t.Error("an unknown bucket was taken")
	}
}

func records(t *testing.T, q queue.Queue) {
	ctx := ctxFor(t)
	if _, err := q.Get(ctx, queue.BucketJobs, "k"); !errors.Is(err, queue.ErrNotFound) {
		t.Errorf("get: %v, want ErrNotFound", err)
	}
	if _, err := q.Update(ctx, queue.BucketJobs, "k", []byte("v"), 7); !errors.Is(err, queue.ErrConflict) {
		t.Errorf("update of nothing: %v, want ErrConflict", err)
	}
	if err := q.Delete(ctx, queue.BucketJobs, "k"); err != nil {
		t.Errorf("delete of nothing: %v", err)
	}
	for round := range 2 { // the second after a delete
		rev, err := q.Create(ctx, queue.BucketJobs, "k", []byte("one"))
		if err != nil {
			t.Fatalf("create in round %d: %v", round, err)
		}
		if _, err := q.Create(ctx, queue.BucketJobs, "k", []byte("two")); !errors.Is(err, queue.ErrExists) {
			t.Errorf("create again: %v, want ErrExists", err)
		}
		rev2, err := q.Update(ctx, queue.BucketJobs, "k", []byte("two"), rev)
		if err != nil || rev2 <= rev {
			t.Fatalf("update: revision %d after %d, %v", rev2, rev, err)
		}
		if _, err := q.Update(ctx, queue.BucketJobs, "k", []byte("three"), rev); !errors.Is(err, queue.ErrConflict) {
			t.Errorf("stale update: %v, want ErrConflict", err)
		}
		r, err := q.Get(ctx, queue.BucketJobs, "k")
		if err != nil || string(r.Value) != "two" || r.Revision != rev2 {
			t.Errorf("get: %q at %d, %v", r.Value, r.Revision, err)
		}
		if err := q.Delete(ctx, queue.BucketJobs, "k"); err != nil {
			t.Fatal(err)
		}
		if _, err := q.Get(ctx, queue.BucketJobs, "k"); !errors.Is(err, queue.ErrNotFound) {
			t.Errorf("get after delete: %v, want ErrNotFound", err)
		}
	}
}

func recordKeys(t *testing.T, q queue.Queue) {
	ctx := ctxFor(t)
	if keys, err := q.Keys(ctx, queue.BucketHeads); err != nil || len(keys) != 0 {
		t.Errorf("keys of an empty bucket: %q, %v", keys, err)
	}
	want := []string{"Ünïcode", "a.b", "a=20b", "owner/repo#12", "owner/repo#13", "with space", "x*>"}
	for _, k := range want {
		if _, err := q.Create(ctx, queue.BucketHeads, k, []byte(k)); err != nil {
			t.Fatalf("create %q: %v", k, err)
		}
	}
	if _, err := q.Create(ctx, queue.BucketHeads, "", nil); err == nil {
		t.Error("an empty key was taken")
	}
	for _, k := range want {
		if r, err := q.Get(ctx, queue.BucketHeads, k); err != nil || string(r.Value) != k {
			t.Errorf("get %q: %q, %v", k, r.Value, err)
		}
	}
	keys, err := q.Keys(ctx, queue.BucketHeads)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(slices.Sorted(slices.Values(want)), keys); d != "" {
		t.Error(d)
	}
}

// cas: of many writers with the same revision one wins, each time.
func cas(t *testing.T, q queue.Queue) {
	ctx := ctxFor(t)
	var mu sync.Mutex
	created, added := 0, 0
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := q.Create(ctx, queue.BucketLeases, "k", []byte{0}); err == nil {
				mu.Lock()
				created++
				mu.Unlock()
			} else if !errors.Is(err, queue.ErrExists) {
				t.Error(err)
			}
			for done := 0; done < 5; {
				r, err := q.Get(ctx, queue.BucketLeases, "k")
				if err != nil {
					t.Error(err)
					return
				}
				if _, err = q.Update(ctx, queue.BucketLeases, "k", []byte{r.Value[0] + 1}, r.Revision); err == nil {
					done++
					mu.Lock()
					added++
					mu.Unlock()
				} else if !errors.Is(err, queue.ErrConflict) {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	r, err := q.Get(ctx, queue.BucketLeases, "k")
	if err != nil || created != 1 || int(r.Value[0]) != added || added != 40 {
		t.Errorf("created %d times, counter %v after %d updates, %v", created, r.Value, added, err)
	}
}

func blobs(t *testing.T, q queue.Queue) {
	ctx := ctxFor(t)
	if _, err := q.GetBlob(ctx, "bundles/p/none"); !errors.Is(err, queue.ErrNotFound) {
		t.Errorf("get of nothing: %v, want ErrNotFound", err)
	}
	for _, size := range []int{0, 1, 3 << 20} {
		data := make([]byte, size)
		if _, err := rand.Read(data); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"bundles/p/x", "bundles/p/x/y", "bundles/p/X z"} {
			if err := q.PutBlob(ctx, name, bytes.NewReader(data)); err != nil { // replaces what was there
				t.Fatal(err)
			}
			if got := readBlob(t, q, name); !bytes.Equal(got, data) {
				t.Errorf("%s: %d bytes back, want %d equal ones", name, len(got), size)
			}
		}
	}
	if err := q.DeleteBlob(ctx, "bundles/p/x"); err != nil {
		t.Fatal(err)
	}
	if err := q.DeleteBlob(ctx, "bundles/p/x"); err != nil {
		t.Errorf("delete of nothing: %v", err)
	}
	if _, err := q.GetBlob(ctx, "bundles/p/x"); !errors.Is(err, queue.ErrNotFound) {
		t.Errorf("get after delete: %v, want ErrNotFound", err)
	}
	if got := readBlob(t, q, "bundles/p/x/y"); len(got) != 3<<20 {
		t.Errorf("a blob below the deleted name has %d bytes left", len(got))
	}
	broken := io.MultiReader(strings.NewReader("half"), failing{})
	if err := q.PutBlob(ctx, "bundles/p/half", broken); err == nil {
		t.Error("a put whose source failed succeeded")
	}
	if _, err := q.GetBlob(ctx, "bundles/p/half"); !errors.Is(err, queue.ErrNotFound) {
		t.Errorf("half a blob: %v, want ErrNotFound", err)
	}
}

func closed(t *testing.T, q queue.Queue) {
	waiting := make(chan error, 1)
	go func() {
		_, err := q.Next(context.Background(), queue.Events, reader("a"))
		waiting <- err
	}()
	time.Sleep(100 * time.Millisecond)
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-waiting:
		if !errors.Is(err, queue.ErrClosed) {
			t.Errorf("next: %v, want ErrClosed", err)
		}
	case <-time.After(2 * time.Minute):
		t.Error("next hangs after Close")
	}
	if _, err := q.Publish(ctxFor(t), queue.Events, "", "", nil); !errors.Is(err, queue.ErrClosed) {
		t.Errorf("publish: %v, want ErrClosed", err)
	}
	if _, err := q.Get(ctxFor(t), queue.BucketJobs, "k"); !errors.Is(err, queue.ErrClosed) {
		t.Errorf("get: %v, want ErrClosed", err)
	}
	if err := q.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}

func readBlob(t *testing.T, q queue.Queue, name string) []byte {
	t.Helper()
	r, err := q.GetBlob(ctxFor(t), name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("source failed") }
