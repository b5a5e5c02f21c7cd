package webhook

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

const (
	// recoverBack is how far the first look goes back: GitHub repeats deliveries of the last three days.
	recoverBack = 3 * 24 * time.Hour
	// recoverOverlap covers what GitHub enters late into its list: attempts that it waited for, and its own delays.
	recoverOverlap = 10 * time.Minute
	// recoverTries is how many attempts a delivery gets in all before a person has to look at it.
	recoverTries = 5
)

// recovered remembers how far the list of deliveries has been gone through.
type recovered struct {
	Until time.Time `json:"until"`
}

const recoveredKey = "deliveries"

// recover asks GitHub to repeat what it could not deliver: it never does so by itself, and an event that found nobody
// at home would else be a check that is expected for ever.
func (p *planner) recover(ctx context.Context) error {
	now := p.now()
	since := now.Add(-recoverBack)
	var last recovered
	if _, err := p.read(ctx, queue.BucketHeads, recoveredKey, &last); ignoreMissing(err) != nil {
		return err
	}
	if t := last.Until.Add(-recoverOverlap); t.After(since) {
		since = t
	}
	ds, err := p.gh.Deliveries(ctx, since)
	if err != nil {
		return err
	}
	for _, d := range missed(ds) {
		if d.tries >= recoverTries {
			p.log.ErrorContext(ctx, "webhook delivery failed too often", "delivery", d.GUID, "event", d.Event, "status", d.Status)
			continue
		}
		p.log.WarnContext(ctx, "webhook was missed: asking GitHub to repeat it", "delivery", d.GUID, "event", d.Event, "status", d.Status)
		if err := p.gh.Redeliver(ctx, d.ID); err != nil {
			return err
		}
	}
	return change(ctx, &p.store, queue.BucketHeads, recoveredKey, func(r *recovered) bool {
		r.Until = now
		return true
	})
}

// miss is an event that no attempt has brought to us.
type miss struct {
	github.Delivery // the newest attempt
	tries           int
}

// missed picks from attempts, newest first, the events we use that were never taken. What we refused for what it is will
// be refused again.
func missed(ds []github.Delivery) []*miss {
	byGUID := map[string]*miss{}
	taken := map[string]bool{}
	var out []*miss
	for _, d := range ds {
		switch {
		case d.Status >= 200 && d.Status < 300, d.Status == http.StatusBadRequest, d.Status == http.StatusRequestEntityTooLarge,
			d.Status == http.StatusUnsupportedMediaType, !Known(d.Event):
			taken[d.GUID] = true
			continue
		}
		if m := byGUID[d.GUID]; m != nil {
			m.tries++
			continue
		}
		byGUID[d.GUID] = &miss{d, 1}
		out = append(out, byGUID[d.GUID])
	}
	out = slices.DeleteFunc(out, func(m *miss) bool { return taken[m.GUID] })
	slices.Reverse(out) // oldest first, as they happened
	return out
}
