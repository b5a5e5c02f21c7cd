package queue_test

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/internal/queue/queuetest"
)

// TestServerStartedBeforeItsClusterIsReady: a cluster that is not complete refuses the streams for a while, and the server asks
// again. It once gave up at once.
func TestServerStartedBeforeItsClusterIsReady(t *testing.T) {
	c := queuetest.NewCluster(t, 3)
	c.Start(0)
	c.Start(1) // no place for three replicas yet
	refused := make(refusals, 1)
	connected := make(chan error, 1)
	go func() {
		q, err := queue.Connect(t.Context(), queue.Options{URL: c.URL(), Role: queue.RoleServer, Replicas: 3, MaxBytes: 256 << 20,
			Log: slog.New(slog.NewTextHandler(refused, nil))})
		if err == nil {
			err = q.Close()
		}
		connected <- err
	}()
	select {
	case err := <-connected:
		t.Fatalf("two nodes of three took three replicas: %v", err)
	case <-refused:
	}
	c.Start(2)
	if err := <-connected; err != nil {
		t.Fatal(err)
	}
}

// refusals is ready once a log line says that something is tried again.
type refusals chan struct{}

func (w refusals) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte("trying again")) {
		select {
		case w <- struct{}{}:
		default:
		}
	}
	return len(b), nil
}
