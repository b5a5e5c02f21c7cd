package webhook

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/internal/queue/queuetest"
	"github.com/gatebot/gatebot/webhook/standin"
)

// TestTwoServersOnACluster runs two servers on a NATS cluster of three nodes. A node and then a server are taken away while
// pull requests come; each commit has exactly one run in the end, and it has its verdict.
func TestTwoServersOnACluster(t *testing.T) {
	c := queuetest.StartCluster(t, 3)
	connect := func(name string) *queue.Conn {
		t.Helper()
		q, err := queue.Connect(t.Context(), queue.Options{URL: c.URL(), Name: name, Role: queue.RoleServer, Replicas: 3, MaxBytes: 256 << 20})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = q.Close() })
		return q
	}
	first, second := connect("one"), connect("two")
	if err := first.EnsurePools(t.Context(), "default"); err != nil {
		t.Fatal(err)
	}
	m := newMachineOn(t, first) // its own server takes the webhooks
	m.stop()
	m.opts.Shared, m.opts.LeaseFor = true, 2*time.Second
	m.start()
	stopFirst := m.stop
	firstURL := m.hook
	o := m.opts
	o.Queue, o.Data = second, t.TempDir()
	other := *m
	other.opts = o
	other.start()
	t.Cleanup(func() { other.stop() })

	var heads []string
	open := func(from, to int, url string) {
		m.github.SetWebhook(url)
		for i := from; i < to; i++ {
			branch := fmt.Sprint("topic-", i)
			heads = append(heads, m.commit(branch, "a.py", fmt.Sprintf("# %d\n%s", i, dirty)))
			m.open(branch)
		}
		m.eventually(m.deliver)
	}
	m.commit("main", "a.py", clean)
	open(0, 3, firstURL)
	c.Stop(1) // a node goes: two of three are a majority
	c.Wait()
	open(3, 6, other.hook)
	stopFirst() // a server goes: the other one takes over what it had
	open(6, 8, other.hook)
	for _, head := range heads {
		if run := m.completed(head); run.Conclusion != "failure" {
			t.Errorf("%.7s: %s %s", head, run.Conclusion, run.Title)
		}
	}
}

// deliver repeats, as an administrator would, what was refused while the cluster chose itself a leader.
func (m *machine) deliver() error {
	last := map[string]standin.Delivery{}
	for _, d := range m.github.Deliveries() {
		if had := last[d.GUID]; !had.OK() {
			last[d.GUID] = d
		}
	}
	for _, d := range last {
		if d.Done && !d.OK() {
			if err := m.github.Redeliver(d.GUID); err != nil {
				return err
			}
			pause(m.t.Context(), time.Second)
		}
	}
	return m.delivered()
}

// TestLeaseIsTakenOver: one holder at a time, and when it goes silent the next.
func TestLeaseIsTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { leaseIsTakenOver(t) }) // on a clock of its own: a holder that is kept waiting is silent
}

func leaseIsTakenOver(t *testing.T) {
	t.Helper()
	q := queue.NewMemory()
	a, b := newLeases(q, 200*time.Millisecond, quiet()), newLeases(q, 200*time.Millisecond, quiet())
	held, release, err := a.acquire(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 600*time.Millisecond)
	defer cancel()
	if _, _, err := b.acquire(short, "x"); err == nil {
		t.Fatal("two holders")
	}
	if held.Err() != nil {
		t.Fatal("lost although it was renewed")
	}
	release()
	_, free, err := b.acquire(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	free()
	// A holder that died: its record stays and is not renewed.
	if _, err := a.put(t.Context(), "y", leaseRecord{Owner: "dead"}, 0); err != nil {
		t.Fatal(err)
	}
	_, free, err = b.acquire(t.Context(), "y")
	if err != nil {
		t.Fatal(err)
	}
	free()
}

// TestLostLeaseIsNoticed: somebody else has it now.
func TestLostLeaseIsNoticed(t *testing.T) {
	q := queue.NewMemory()
	l := newLeases(q, 200*time.Millisecond, quiet())
	held, release, err := l.acquire(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	rec, rev, err := l.get(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	for { // against the holder's own renewals
		if _, err = l.put(t.Context(), "x", leaseRecord{Owner: "thief", Beat: rec.Beat}, rev); err == nil {
			break
		}
		if _, rev, err = l.get(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
	}
	<-held.Done()
}
