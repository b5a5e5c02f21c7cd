package github

import (
	"context"
	"errors"
	"fmt"
	"time"

	gh "github.com/google/go-github/v60/github"
)

// Delivery is one attempt of GitHub to deliver an event. Repetitions have the same GUID and another ID.
type Delivery struct {
	ID     int64
	GUID   string
	Event  string
	At     time.Time
	Status int // HTTP status that we answered with; 0 when we did not
}

// maxDeliveries bounds one listing; at GitHub's 100 a page these are 100 requests.
const maxDeliveries = 10000

// Deliveries lists the attempts since a time, newest first. GitHub keeps them for three days (GHES: seven).
func (a *App) Deliveries(ctx context.Context, since time.Time) ([]Delivery, error) {
	var out []Delivery
	opts := &gh.ListCursorOptions{PerPage: 100}
	for {
		page, resp, err := a.app.Apps.ListHookDeliveries(ctx, opts)
		if err != nil {
			return nil, classify("list webhook deliveries", err)
		}
		for _, d := range page {
			if d.GetDeliveredAt().Before(since) {
				return out, nil
			}
			out = append(out, Delivery{
				ID: d.GetID(), GUID: d.GetGUID(), Event: d.GetEvent(), At: d.GetDeliveredAt().Time, Status: d.GetStatusCode(),
			})
		}
		if resp.Cursor == "" || len(out) >= maxDeliveries {
			return out, nil
		}
		opts.Cursor = resp.Cursor
	}
}

// Redeliver asks GitHub to attempt a delivery again. It comes as a request of its own, with the GUID it had.
func (a *App) Redeliver(ctx context.Context, id int64) error {
	_, _, err := a.app.Apps.RedeliverHookDelivery(ctx, id)
	var accepted *gh.AcceptedError // 202 is what GitHub answers here; go-github takes it for an error
	if errors.As(err, &accepted) {
		return nil
	}
	return classify(fmt.Sprintf("redeliver webhook delivery %d", id), err)
}
