package queuetest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// fireLimit: what a client sends beyond the limit is ended and said, and what others send is left alone.
func fireLimit(t *testing.T, q queue.Queue) {
	l, ok := q.(queue.FireLimiter)
	if !ok {
		t.Fatalf("%T is no FireLimiter", q)
	}
	notes := q.(queue.Notes)
	send := func(sub, id string) { publish(t, q, queue.Jobs, sub, id, fmt.Sprintf(`{"id":%q}`, id)) }
	for i := range 3 { // of before the start
		send("p.fire.alice", fmt.Sprint("old", i))
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = l.LimitFires(ctx, 2) })
	t.Cleanup(func() { cancel(); wg.Wait() })
	told := func(client, id string) *queue.FireState {
		s, err := queue.GetFireState(ctxFor(t), notes, "p", client, id)
		if err != nil {
			return nil
		}
		return s
	}
	until := func(client, id string) {
		t.Helper()
		for deadline := time.Now().Add(2 * time.Minute); told(client, id) == nil; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("job %s of %s was not ended", id, client)
			}
		}
		if s := told(client, id); s.State != queue.FireDone || s.Code != 2 || s.Class != queue.ClassVerdict || s.Epoch != 1 {
			t.Errorf("job %s: %+v", id, s)
		}
	}
	until("alice", "old2")
	send("p.fire.bob", "bob")
	for i := range 5 {
		send("p", fmt.Sprint("pull-", i))
	}
	send("p.fire.alice", "new")
	until("alice", "new")
	if err := queue.CancelJob(ctxFor(t), notes, "p", "alice", "old1", "taken back"); err != nil {
		t.Fatal(err)
	}
	send("p.fire.alice", "instead")
	send("p.fire.alice", "again")
	until("alice", "again")
	c := queue.Consumer{Name: "fires", Sub: "p.fire.*", Lease: 10 * time.Second, MaxInFlight: 10}
	for _, want := range []string{"old0", "bob", "instead"} {
		m := next(t, q, queue.Jobs, c)
		if string(m.Data()) == `{"id":"old1"}` { // taken back, and perhaps still there
			ack(t, m)
			m = next(t, q, queue.Jobs, c)
		}
		if string(m.Data()) != fmt.Sprintf(`{"id":%q}`, want) {
			t.Errorf("got %s, want %s", m.Data(), want)
		}
		ack(t, m)
	}
	nothing(t, q, queue.Jobs, c, 100*time.Millisecond)
	for _, id := range []string{"old0", "old1", "instead"} {
		if told("alice", id) != nil {
			t.Errorf("job %s was ended", id)
		}
	}
}
