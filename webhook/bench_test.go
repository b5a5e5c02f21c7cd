package webhook

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// BenchmarkIntake is GitHub delivering in parallel, each event fsynced before its 202.
func BenchmarkIntake(b *testing.B) {
	q, err := queue.OpenEmbedded(b.Context(), queue.EmbeddedOptions{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = q.Close() })
	v, err := newVerifier([]string{secret})
	if err != nil {
		b.Fatal(err)
	}
	s := httptest.NewServer(newIntake(v, q, quiet(), time.Now).handler())
	b.Cleanup(s.Close)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	body := []byte(pullPayload("opened", head, ""))
	signature := sign(secret, body)
	var n atomic.Int64
	var mu sync.Mutex
	var took []time.Duration
	b.SetParallelism(16)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		var mine []time.Duration
		for pb.Next() {
			req, err := http.NewRequest(http.MethodPost, s.URL+"/webhook", bytes.NewReader(body))
			if err != nil {
				b.Error(err)
				return
			}
			req.Header = http.Header{
				"Content-Type": {"application/json"}, "X-Github-Event": {"pull_request"},
				"X-Github-Delivery": {fmt.Sprint("d-", n.Add(1))}, "X-Hub-Signature-256": {signature},
			}
			start := time.Now()
			resp, err := client.Do(req)
			if err != nil {
				b.Error(err)
				return
			}
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusAccepted {
				b.Errorf("status %d", resp.StatusCode)
				return
			}
			mine = append(mine, time.Since(start))
		}
		mu.Lock()
		defer mu.Unlock()
		took = append(took, mine...)
	})
	b.StopTimer()
	if len(took) == 0 {
		return
	}
	slices.Sort(took)
	b.ReportMetric(float64(len(took))/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/(1<<20), "MiB")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}
