package github

import (
	"net/http"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/gofri/go-github-ratelimit/v2/github_ratelimit"
	"github.com/gofri/go-github-ratelimit/v2/github_ratelimit/github_secondary_ratelimit"
)

// limited puts gofri's rate limiter over base, a paced transport. It sleeps through secondary limits of at most maxSleep
// and answers at once on longer ones and on primary limits. One per installation: that is what GitHub counts by.
func limited(base http.RoundTripper, maxSleep time.Duration) http.RoundTripper {
	return github_ratelimit.New(base, github_secondary_ratelimit.WithSingleSleepLimit(maxSleep, nil))
}

// rewind gives every attempt a fresh body. gofri v2.0.2 sends the same request again after a sleep with its body already
// read, which net/http refuses; every request of go-github and ghinstallation carries GetBody.
type rewind struct{ base http.RoundTripper }

func (t *rewind) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body == nil || req.GetBody == nil {
		return t.base.RoundTrip(req)
	}
	body, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	_ = req.Body.Close() // an in-memory reader: closing it cannot fail and does not spoil GetBody
	fresh := req.Clone(req.Context())
	fresh.Body = body
	return t.base.RoundTrip(fresh)
}

// queued lets one request at a time fetch the installation's token. ghinstallation v2.10.0 does that under a mutex, where
// a request whose caller has gone would wait on as long as a rate limit lasts.
type queued struct {
	next *ghinstallation.Transport
	turn chan struct{}
}

func (t *queued) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	select {
	case t.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	_, err := t.next.Token(ctx) // remembered for an hour
	<-t.turn
	if err != nil {
		return nil, err
	}
	return t.next.RoundTrip(req)
}
