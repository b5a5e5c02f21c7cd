package e2e

import (
	"net/http"
	"testing"

	"github.com/gatebot/gatebot/webhook/standin"
)

// TestPublishedExamplesAreTaken sends each of GitHub's examples, correctly signed, to a running server.
func TestPublishedExamplesAreTaken(t *testing.T) {
	t.Parallel()
	s := newSite(t, standin.Options{})
	s.server()
	for _, e := range published(t) {
		if status, said := s.answer(func() (int, string) { return s.signed(e.event, string(e.payload)) }); status != http.StatusAccepted {
			t.Errorf("%s: %d %s, want 202", e, status, said)
		}
	}
	if err := s.Children.Dead(); err != nil {
		t.Error(err)
	}
}
