package queue

import (
	"errors"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// TestClassify: the texts are those of nats-server 2.15's errors. The second is what a cluster says whose leader has not heard
// from every node; that one has the status of a bad request.
func TestClassify(t *testing.T) {
	for _, c := range []struct {
		status int
		code   jetstream.ErrorCode
		text   string
		want   error
	}{
		{503, 10008, "JetStream system temporarily unavailable", ErrUnavailable},
		{400, codeNoPeers, "no suitable peers for placement, peer offline", ErrUnavailable},
		{500, codeNotLeader, "JetStream cluster can not handle request", ErrUnavailable},
		{503, codeInsufficientResources, "insufficient resources", ErrFull},
		{503, codeStoreFailed, "maximum bytes exceeded", ErrFull},
		{503, codeStoreFailed, "input/output error", ErrUnavailable},
		{400, codeMaxPayload, "message size exceeds maximum allowed", ErrTooLarge},
		{400, 10058, "stream name already in use with a different configuration", nil},
	} {
		err := classify(&jetstream.APIError{Code: c.status, ErrorCode: c.code, Description: c.text})
		for _, is := range []error{ErrUnavailable, ErrFull, ErrTooLarge} {
			if errors.Is(err, is) != errors.Is(c.want, is) {
				t.Errorf("%s: %v", c.text, err)
			}
		}
	}
}
