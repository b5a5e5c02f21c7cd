package webhook

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Metrics are what /metrics shows, in Prometheus's text format. A series is made by its first count; the nil value counts
// nothing.
type Metrics struct {
	mu     sync.Mutex
	series map[string]map[string]float64 // name → labels → value
	hist   map[string]*histogram
	gauges []func(ctx context.Context, set func(name, labels string, v float64))
}

// NewMetrics is what a process makes when the adapter to GitHub counts too.
func NewMetrics() *Metrics { return newMetrics() }

// Request counts one request to GitHub.
func (m *Metrics) Request(method string, status int, limited bool) {
	m.add("gatebot_github_requests_total", 1, "method", method, "status", strconv.Itoa(status))
	if limited {
		m.add("gatebot_github_limited_total", 1)
	}
}

func newMetrics() *Metrics {
	return &Metrics{series: map[string]map[string]float64{}, hist: map[string]*histogram{}}
}

// about is the help text of every series; what is not here is a mistake that the tests find.
var seriesHelp = map[string]string{
	"gatebot_webhooks_total":                "Webhook deliveries by event and answer.",
	"gatebot_webhook_seconds":               "Time from a delivery's last byte to its answer, the fsync of the event included.",
	"gatebot_events_total":                  "Stored events by what became of them.",
	"gatebot_results_total":                 "Messages of runners by class.",
	"gatebot_checks_total":                  "Completed check runs by conclusion.",
	"gatebot_check_seconds":                 "Time from a check's event to its conclusion.",
	"gatebot_verdicts_reused_total":         "Jobs that needed no runner because their tree has a verdict.",
	"gatebot_repairs_total":                 "What the reconciler found missing or left over, by kind.",
	"gatebot_github_requests_total":         "Requests to GitHub by method and status; status 0 is no answer.",
	"gatebot_github_limited_total":          "Answers of GitHub that were a rate limit.",
	"gatebot_github_content_used":           "Content-creating requests of the last hour, of the busiest installation.",
	"gatebot_github_content_limit":          "How many gatebot allows itself an hour.",
	"gatebot_jobs":                          "Records by state.",
	"gatebot_queue_waiting":                 "Messages that no consumer has taken, by stream and consumer.",
	"gatebot_leader":                        "1 when this server runs the loop.",
	"gatebot_last_delivery_unix_seconds":    "When the last good delivery came.",
	"gatebot_oldest_waiting_seconds":        "How long the oldest job has been waiting for a runner, by pool.",
	"gatebot_process_start_unix_seconds":    "When this server started.",
	"gatebot_queue_healthy":                 "1 when the queue takes writes.",
	"gatebot_runner_last_seen_unix_seconds": "When a runner was last heard of, with its state then.",
}

// labels writes pairs as Prometheus does.
func labels(pairs ...string) string {
	var b strings.Builder
	for i := 0; i+1 < len(pairs); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s=%q", pairs[i], pairs[i+1])
	}
	return b.String()
}

func (m *Metrics) add(name string, v float64, pairs ...string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.series[name] == nil {
		m.series[name] = map[string]float64{}
	}
	m.series[name][labels(pairs...)] += v
}

func (m *Metrics) set(name string, v float64, pairs ...string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.series[name] == nil {
		m.series[name] = map[string]float64{}
	}
	m.series[name][labels(pairs...)] = v
}

// bounds of the histograms in seconds: an fsync at one end, a job that waited for a day at the other.
var bounds = []float64{.001, .002, .005, .01, .02, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 14400, 86400}

type histogram struct {
	buckets []uint64 // one more than bounds
	sum     float64
}

func (m *Metrics) observe(name string, d time.Duration) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.hist[name]
	if h == nil {
		h = &histogram{buckets: make([]uint64, len(bounds)+1)}
		m.hist[name] = h
	}
	i, _ := slices.BinarySearch(bounds, d.Seconds())
	h.buckets[i]++
	h.sum += d.Seconds()
}

// ServeHTTP answers a scrape.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), storeTimeout)
	defer cancel()
	for _, g := range m.gauges {
		fresh := map[string]map[string]float64{}
		g(ctx, func(name, labels string, v float64) {
			if fresh[name] == nil {
				fresh[name] = map[string]float64{}
			}
			fresh[name][labels] = v
		})
		m.mu.Lock()
		maps.Copy(m.series, fresh)
		m.mu.Unlock()
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	m.write(w)
}

func (m *Metrics) write(w io.Writer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b strings.Builder
	head := func(name, kind string) {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, seriesHelp[name], name, kind)
	}
	for _, name := range slices.Sorted(maps.Keys(m.series)) {
		kind := "gauge"
		if strings.HasSuffix(name, "_total") {
			kind = "counter"
		}
		head(name, kind)
		for _, l := range slices.Sorted(maps.Keys(m.series[name])) {
			set := l
			if set != "" {
				set = "{" + set + "}"
			}
			fmt.Fprintf(&b, "%s%s %s\n", name, set, number(m.series[name][l]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.hist)) {
		h := m.hist[name]
		head(name, "histogram")
		var n uint64
		for i, c := range h.buckets {
			n += c
			le := "+Inf"
			if i < len(bounds) {
				le = number(bounds[i])
			}
			fmt.Fprintf(&b, "%s_bucket{le=%q} %d\n", name, le, n)
		}
		fmt.Fprintf(&b, "%s_sum %s\n%s_count %d\n", name, number(h.sum), name, n)
	}
	_, _ = io.WriteString(w, b.String()) // the asker may be gone
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// finished counts a record that has come to its end.
func (p *planner) finished(r *Record) {
	p.metrics.add("gatebot_checks_total", 1, "conclusion", string(r.Final.Conclusion))
	p.metrics.observe("gatebot_check_seconds", p.now().Sub(r.Created))
}

// repaired counts what the reconciler had to do.
func (p *planner) repaired(kind string) { p.metrics.add("gatebot_repairs_total", 1, "kind", kind) }
