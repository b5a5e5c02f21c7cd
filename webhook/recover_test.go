package webhook

import (
	"slices"
	"testing"
	"time"

	"github.com/gatebot/gatebot/webhook/github"
)

func TestRecover(t *testing.T) {
	w := newWorld(t)
	at := func(id int64, guid, event string, status int) github.Delivery {
		return github.Delivery{ID: id, GUID: guid, Event: event, Status: status, At: w.clock}
	}
	w.gh.Attempts = []github.Delivery{ // newest first
		at(90, "taken at the second try", "push", 202),
		at(80, "missed twice", "push", 503),
		at(70, "missed twice", "push", 0),
		at(61, "hopeless", "push", 500), at(62, "hopeless", "push", 500), at(63, "hopeless", "push", 500),
		at(64, "hopeless", "push", 500), at(65, "hopeless", "push", 500),
		at(50, "taken at the second try", "push", 502),
		at(40, "no use", "star", 500),
		at(30, "refused", "push", 400),
		at(20, "wrong secret", "push", 401),
		at(10, "taken", "push", 202),
	}
	if err := w.recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []int64{20, 80}; !slices.Equal(w.gh.Redelivered, want) {
		t.Errorf("redelivered %v, want %v", w.gh.Redelivered, want)
	}
	if got := w.clock.Sub(w.gh.Since); got != recoverBack {
		t.Errorf("the first look goes back %s", got)
	}
	w.clock = w.clock.Add(time.Hour)
	if err := w.recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := w.clock.Sub(w.gh.Since); got != time.Hour+recoverOverlap {
		t.Errorf("the second look goes back %s", got)
	}
}
