package queue_test

import (
	"os"
	"path/filepath"
	"testing"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"github.com/gatebot/gatebot/internal/queue"
)

// TestExternalAccounts: a NATS server with the printed section takes the server, and a runner that gets its own jobs only.
func TestExternalAccounts(t *testing.T) {
	ctx, seedFile := t.Context(), filepath.Join(t.TempDir(), "server.nkey")
	_, seed, err := queue.NewRunnerKey()
	if err != nil {
		t.Fatal(err)
	}
	public, runnerSeed, err := queue.NewRunnerKey()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(seedFile, seed, 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := queue.ExternalAccounts(seedFile, []queue.Runner{{Name: "r", Key: public, Pools: []string{"p"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := &natsserver.Options{}
	if err := o.ProcessConfigString(text); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	o.Host, o.Port, o.NoSigs, o.NoLog, o.JetStream, o.StoreDir = "127.0.0.1", -1, true, true, true, t.TempDir()
	o.MaxPayload, o.JetStreamMaxStore = queue.MaxPayload, 1<<30
	ns, err := natsserver.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	ns.Start()
	defer ns.Shutdown()
	s, err := queue.Connect(ctx, queue.Options{URL: ns.ClientURL(), SeedFile: seedFile, Role: queue.RoleServer, MaxBytes: 256 << 20, Timeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if err := s.EnsurePools(ctx, "p", "q"); err != nil {
		t.Fatal(err)
	}
	r, err := queue.Connect(ctx, queue.Options{URL: ns.ClientURL(), Seed: runnerSeed, Role: queue.RoleRunner, Timeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if _, err := s.Publish(ctx, queue.Jobs, "p", "1", []byte("mine")); err != nil {
		t.Fatal(err)
	}
	m, err := r.Next(ctx, queue.Jobs, queue.JobConsumer("p"))
	if err != nil || string(m.Data()) != "mine" {
		t.Fatalf("job: %v", err)
	}
	if err := m.Ack(ctx); err != nil {
		t.Error(err)
	}
	if _, err := r.Publish(soon(t), queue.Jobs, "p", "2", []byte("forged")); err == nil {
		t.Error("a runner published a job")
	}
}
