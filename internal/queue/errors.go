package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Errors of the store itself. Intake answers all of them with 503, except ErrTooLarge (413).
var (
	ErrFull        = errors.New("queue store is full")
	ErrUnavailable = errors.New("queue store cannot be reached")
	ErrTooLarge    = errors.New("message is larger than the queue takes")
	ErrLeaseLost   = errors.New("lease lost")
)

// JetStream's error codes that mean "no room" (server/errors.json): the account's or the server's storage is used up,
// or the store refused the write, which it also does at the stream's own limit and when the disk is full.
const (
	codeInsufficientResources = 10023
	codeStorageExceeded       = 10047
	codeStoreFailed           = 10077
	codeMaxPayload            = 10054
)

// JetStream's error codes of a cluster that is not ready for the request, which do not come with a status of 503: too
// few nodes that can take the stream's replicas, or the leader is being elected.
const (
	codeNoPeers   = 10005
	codeNotLeader = 10009
)

// classify adds to err the sentinel that callers tell it apart by, keeping the cause.
func (c *Conn) classify(err error) error {
	if errors.Is(err, context.Canceled) && c.store.failed() {
		return fmt.Errorf("%w: it failed to write", ErrUnavailable) // no caller cancelled this
	}
	return classify(err)
}

func classify(err error) error {
	if err == nil {
		return nil
	}
	var api *jetstream.APIError
	switch {
	case errors.As(err, &api):
		switch int(api.ErrorCode) {
		case codeInsufficientResources, codeStorageExceeded:
			return fmt.Errorf("%w: %w", ErrFull, err)
		case codeStoreFailed:
			if strings.Contains(api.Description, "exceeded") || strings.Contains(api.Description, "no space left") {
				return fmt.Errorf("%w: %w", ErrFull, err)
			}
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		case codeMaxPayload:
			return fmt.Errorf("%w: %w", ErrTooLarge, err)
		case codeNoPeers, codeNotLeader:
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		if api.Code == 503 {
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	case errors.Is(err, nats.ErrMaxPayload):
		return fmt.Errorf("%w: %w", ErrTooLarge, err)
	case errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, nats.ErrConnectionDraining):
		return fmt.Errorf("%w: %w", ErrClosed, err)
	case errors.Is(err, jetstream.ErrNoStreamResponse), errors.Is(err, nats.ErrNoResponders),
		errors.Is(err, nats.ErrTimeout), errors.Is(err, nats.ErrReconnectBufExceeded),
		errors.Is(err, nats.ErrDisconnected), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}
