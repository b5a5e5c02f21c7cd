package queue_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/gatebot/gatebot/internal/queue"
)

// BenchmarkPublish is the intake of webhooks: 8 KB each, every one fsynced before Publish returns.
func BenchmarkPublish(b *testing.B) {
	body := noise(8 << 10)
	for _, parallel := range []int{1, 16} {
		b.Run(fmt.Sprintf("publishers=%d", parallel), func(b *testing.B) {
			s, err := queue.OpenEmbedded(context.Background(), queue.EmbeddedOptions{Dir: b.TempDir()})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			var n atomic.Int64
			b.SetParallelism(parallel) // times GOMAXPROCS
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := s.Publish(context.Background(), queue.Events, "push", fmt.Sprint(n.Add(1)), body); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "msg/s")
		})
	}
}

// BenchmarkJob is the way of a job from Publish to the runner's Next, over TCP with a runner's permissions.
func BenchmarkJob(b *testing.B) {
	ctx := context.Background()
	pub, seed, err := queue.NewRunnerKey()
	if err != nil {
		b.Fatal(err)
	}
	s, err := queue.OpenEmbedded(ctx, queue.EmbeddedOptions{Dir: b.TempDir(), Listen: "127.0.0.1:0",
		Runners: []queue.Runner{{Name: "r", Key: pub, Pools: []string{"p"}}}})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	r, err := queue.Connect(ctx, queue.Options{URL: s.URL(), Seed: seed, Role: queue.RoleRunner})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	for i := 0; b.Loop(); i++ {
		if _, err := s.Publish(ctx, queue.Jobs, "p", fmt.Sprint(i), []byte("{}")); err != nil {
			b.Fatal(err)
		}
		m, err := r.Next(ctx, queue.Jobs, queue.JobConsumer("p"))
		if err != nil {
			b.Fatal(err)
		}
		if err := m.Ack(ctx); err != nil {
			b.Fatal(err)
		}
	}
}
