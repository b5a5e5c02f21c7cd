package github

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/gofri/go-github-ratelimit/v2/github_ratelimit/github_primary_ratelimit"
	gh "github.com/google/go-github/v60/github"
)

// Errors that callers tell apart. A failure that wraps none of them is final: GitHub understood and refused.
var (
	// ErrGone: the commit, run, branch or repository does not exist. Terminal.
	ErrGone = errors.New("gone at GitHub")
	// ErrNotYet: GitHub does not show the commit. Webhooks run ahead of the API (policy-bot#47): try again, never conclude.
	ErrNotYet = errors.New("not visible at GitHub yet")
	// ErrDenied: GitHub does not let this App do that (key, clock, permission, suspended installation).
	ErrDenied = errors.New("denied by GitHub")
	// ErrTransient: network or 5xx; the request may or may not have had its effect.
	ErrTransient = errors.New("GitHub not reachable")
	// ErrHeadMoved: the branch is not at the expected commit (compare and swap lost).
	ErrHeadMoved = errors.New("branch moved")
)

// RateLimitedError says how long to stay away. GitHub sends it as 403 or 429, as a primary or a secondary limit.
type RateLimitedError struct {
	After time.Duration
	Cause error
}

func (e *RateLimitedError) Error() string {
	return fmt.Sprintf("rate limited by GitHub for %s: %v", e.After.Round(time.Second), e.Cause)
}

func (e *RateLimitedError) Unwrap() error { return e.Cause }

// defaultBackoff is GitHub's own advice when it names no time: at least one minute (docs: rate limits, exceeding).
const defaultBackoff = time.Minute

// maxBackoff keeps a nonsensical header from parking work for ever; primary limits reset within the hour.
const maxBackoff = time.Hour

// classify wraps err with the class it belongs to. go-github v60 knows rate limits as 403 only; 429 arrives here as a
// plain ErrorResponse, a failing token request as ghinstallation's HTTPError inside a url.Error.
func classify(what string, err error) error {
	if err == nil {
		return nil
	}
	wrap := func(class error) error { return fmt.Errorf("%s: %w: %w", what, class, err) }
	limited := func(after time.Duration) error {
		return fmt.Errorf("%s: %w", what, &RateLimitedError{After: min(max(after, time.Second), maxBackoff), Cause: err})
	}

	if errors.Is(err, ErrBudget) {
		return fmt.Errorf("%s: %w", what, err)
	}
	var ours *RateLimitedError // of the pacer
	if errors.As(err, &ours) {
		return fmt.Errorf("%s: %w", what, ours)
	}
	var reached *github_primary_ratelimit.RateLimitReachedError
	if errors.As(err, &reached) {
		if reached.ResetTime == nil {
			return limited(defaultBackoff)
		}
		return limited(time.Until(*reached.ResetTime))
	}
	var primary *gh.RateLimitError
	if errors.As(err, &primary) {
		return limited(time.Until(primary.Rate.Reset.Time))
	}
	var secondary *gh.AbuseRateLimitError
	if errors.As(err, &secondary) {
		if secondary.RetryAfter == nil {
			return limited(defaultBackoff)
		}
		return limited(*secondary.RetryAfter)
	}

	code, header, message := answer(err)
	switch {
	case code == 0: // no answer at all
		return wrap(ErrTransient)
	case code == http.StatusTooManyRequests, code == http.StatusForbidden && isLimit(header, message):
		return limited(retryAfter(header))
	case code == http.StatusNotFound, code == http.StatusGone, code == http.StatusUnprocessableEntity && noCommit(message):
		return wrap(ErrGone)
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return wrap(ErrDenied)
	case code >= 500, code == http.StatusRequestTimeout, code == http.StatusConflict:
		return wrap(ErrTransient)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// answer digs what GitHub said out of the error types of the two libraries; the code is 0 when it said nothing. The body
// of a failed token request is closed here because ghinstallation v2.10.0 leaves it open for its caller.
func answer(err error) (code int, header http.Header, message string) {
	var said *gh.ErrorResponse
	if errors.As(err, &said) && said.Response != nil {
		message := said.Message
		for _, e := range said.Errors {
			message += " " + e.Message
		}
		return said.Response.StatusCode, said.Response.Header, message
	}
	var token *ghinstallation.HTTPError
	if errors.As(err, &token) && token.Response != nil {
		if token.Response.Body != nil {
			_ = token.Response.Body.Close()
		}
		return token.Response.StatusCode, token.Response.Header, token.Message
	}
	return 0, nil, ""
}

func isLimit(h http.Header, message string) bool {
	return h.Get("Retry-After") != "" || h.Get("X-RateLimit-Remaining") == "0" ||
		strings.Contains(strings.ToLower(message), "rate limit")
}

func noCommit(message string) bool {
	return strings.Contains(strings.ToLower(message), "no commit found")
}

// retryAfter obeys Retry-After, then X-RateLimit-Reset when nothing remains, then the documented minute.
func retryAfter(h http.Header) time.Duration {
	if s := h.Get("Retry-After"); s != "" {
		if n, err := strconv.Atoi(s); err == nil && n >= 0 {
			return time.Duration(n) * time.Second
		}
		if t, err := http.ParseTime(s); err == nil {
			return time.Until(t)
		}
	}
	if h.Get("X-RateLimit-Remaining") == "0" {
		if n, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64); err == nil {
			return time.Until(time.Unix(n, 0))
		}
	}
	return defaultBackoff
}
