package queue_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// BenchmarkDispatch is the time from a free runner's question to its job, over TCP with a runner's permissions, with 10 and
// with 10,000 jobs waiting, for 500 runners that ask at once. It must not grow with the queue.
func BenchmarkDispatch(b *testing.B) {
	for _, waiting := range []int{1000, 10000} {
		b.Run(fmt.Sprintf("waiting=%d", waiting), func(b *testing.B) {
			for b.Loop() {
				dispatch(b, waiting, 500)
			}
		})
	}
}

func dispatch(b *testing.B, waiting, runners int) {
	ctx := b.Context()
	var rs []queue.Runner
	var seeds [][]byte
	for i := range runners {
		public, seed, err := queue.NewRunnerKey()
		if err != nil {
			b.Fatal(err)
		}
		rs, seeds = append(rs, queue.Runner{Name: fmt.Sprint("r", i), Key: public, Pools: []string{"p"}}), append(seeds, seed)
	}
	s, err := queue.OpenEmbedded(ctx, queue.EmbeddedOptions{Dir: b.TempDir(), Listen: "127.0.0.1:0", Runners: rs})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	var wg sync.WaitGroup
	for w := range 16 {
		wg.Go(func() {
			for i := w; i < waiting; i += 16 {
				if _, err := s.Publish(ctx, queue.Jobs, "p", fmt.Sprint("j", i), []byte(`{"id":"x"}`)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	conns := make([]*queue.Conn, runners)
	for i := range conns {
		if conns[i], err = queue.Connect(ctx, queue.Options{URL: s.URL(), Seed: seeds[i], Role: queue.RoleRunner}); err != nil {
			b.Fatal(err)
		}
		defer func() { _ = conns[i].Close() }()
	}
	// One runner after the other is free, as they are when jobs take minutes: two questions a runner, never a herd.
	var took []time.Duration
	for i := range min(waiting, 2*runners) {
		start := time.Now()
		m, err := conns[i%runners].Try(ctx, queue.Jobs, queue.JobConsumers("p")...)
		if err != nil || m == nil {
			b.Fatalf("question %d: %v, %v", i, m, err)
		}
		took = append(took, time.Since(start))
		if err := m.Ack(context.WithoutCancel(ctx)); err != nil {
			b.Fatal(err)
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}
