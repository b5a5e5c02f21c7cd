package runner

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/gatebot/gatebot/gpu/sandbox"
	"github.com/gatebot/gatebot/internal/queue"
)

// BenchmarkDispatch: from the moment a job is on disk in an embedded queue to the runner's word that it has started.
func BenchmarkDispatch(b *testing.B) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	pub, seed, err := queue.NewRunnerKey()
	if err != nil {
		b.Fatal(err)
	}
	q, err := queue.OpenEmbedded(ctx, queue.EmbeddedOptions{Dir: filepath.Join(b.TempDir(), "queue"), Listen: "127.0.0.1:0",
		Runners: []queue.Runner{{Name: "r1", Key: pub, Pools: []string{"p"}}}})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = q.Close() }()
	conn, err := queue.Connect(ctx, queue.Options{URL: q.URL(), Seed: seed, Role: queue.RoleRunner})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	o := Options{Name: "r1", Pools: []string{"p"}, WorkDir: b.TempDir(), Queue: conn, Sandbox: Sandbox{Kind: sandbox.None, Limits: LimitsOff},
		Env: []string{childEnvVar + "=pass"}}
	var wg sync.WaitGroup
	wg.Go(func() { _ = Run(ctx, o, nil) })
	defer func() { cancel(); wg.Wait() }()
	var total time.Duration
	for i := 0; b.Loop(); i++ {
		job := aJob(b, q, fmt.Sprint("job", i))
		send(b, q, job)
		stored := time.Now()
		for first := true; ; first = false {
			res := nextWord(ctx, b, q)
			if res == nil {
				b.Fatal("no word")
			}
			if first {
				total += time.Since(stored)
			}
			if res.Class != queue.ClassStarted {
				break
			}
		}
	}
	b.ReportMetric(float64(total.Microseconds())/float64(b.N)/1000, "ms/dispatch")
}
