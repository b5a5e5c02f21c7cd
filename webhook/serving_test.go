package webhook

import (
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/queue"
)

func get(t *testing.T, url string, header ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// TestPagesAndMetrics: the address behind Details shows the job, nobody guesses one, and the metrics count what happened.
func TestPagesAndMetrics(t *testing.T) {
	m := newMachine(t)
	m.stop()
	m.opts.PublicURL, m.opts.Admin = "https://gate.example/", "127.0.0.1:0"
	m.opts.BoardToken = "a-token-of-this-test"
	m.opts.Rules = []finding.RuleInfo{{ID: "GB101", Name: "tensor-item"}}
	m.start()
	m.commit("main", "a.py", clean)
	head := m.commit("topic", "a.py", dirty)
	m.open("topic")
	run := m.completed(head)
	m.recorded()
	path, ok := strings.CutPrefix(run.DetailsURL, "https://gate.example")
	if !ok {
		t.Fatalf("details at %q", run.DetailsURL)
	}
	root := strings.TrimSuffix(m.hook, "/webhook")
	for _, tc := range []struct {
		path, want string
		status     int
	}{
		{path, "a.py:2", 200},
		{path, `<h1><span class="badge fail">`, 200}, // the report's own page
		{path, `results.sarif">results.sarif</a>`, 200},
		{"/board", `name="token"`, 200}, // the way to it
		{path + "/results.json", `"schema":"gatebot.results/v1"`, 200},
		{path + "/results.sarif", `"ruleId": "GB101"`, 200},
		{path[:len(path)-1] + "0", "not found", 404},
		{"/jobs/" + strings.Repeat("0", 32) + "/x", "not found", 404},
		{"/readyz", "ok", 200},
		{"/metrics", "not found", 404}, // it has an address of its own
	} {
		if strings.HasSuffix(path, "0") && tc.status == 404 && strings.HasPrefix(tc.path, path[:len(path)-1]) {
			continue // the code itself ends so
		}
		status, body := get(t, root+tc.path)
		if status != tc.status || !strings.Contains(body, tc.want) {
			t.Errorf("%s: %d %.300s", tc.path, status, body)
		}
	}
	key := strings.Split(path, "/")[2]
	for page, want := range map[string]string{"/board?q=failure": "/board/jobs/" + key, "/board/runners": "No runner", "/board/trends": `"open":0`,
		"/board/jobs/" + key: `<h1><span class="badge fail">`, "/board/fixlog": "log is empty", "/board/readiness": "Detector results", "/board/search?q=a.py": "GB101"} {
		if status, body := get(t, root+page, "Authorization", "Bearer "+m.opts.BoardToken); status != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %d, no %q in %.2000s", page, status, want, body)
		}
	}
	var text string
	m.eventually(func() error { // the loops begin in their own time
		if _, text = get(t, m.server.AdminURL()+"/metrics"); !strings.Contains(text, `gatebot_leader{loop="sweep"} 1`) {
			return errors.New("nobody leads the sweep")
		}
		return nil
	})
	for _, want := range []string{
		`gatebot_webhooks_total{event="pull_request",answer="stored"} 1`, `gatebot_checks_total{conclusion="failure"} 1`, "gatebot_queue_healthy 1",
		`gatebot_webhook_seconds_count`, `gatebot_results_total{class="verdict"}`, `gatebot_leader{loop="sweep"} 1`, "gatebot_check_seconds_bucket",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("metrics lack %s in\n%s", want, text)
		}
	}
	if bad := regexp.MustCompile(`(?m)^# HELP \S+ *$`).FindString(text); bad != "" {
		t.Errorf("a series without a description: %s", bad)
	}
}

// Without an address of their own the metrics are for this machine alone, also behind a proxy on it.
func TestMetricsAreLocal(t *testing.T) {
	m := newMachine(t)
	url := strings.TrimSuffix(m.hook, "/webhook") + "/metrics"
	if status, _ := get(t, url); status != http.StatusOK {
		t.Errorf("from this machine: %d", status)
	}
	if status, _ := get(t, url, "X-Forwarded-For", "203.0.113.9"); status != http.StatusNotFound {
		t.Errorf("for somebody behind a proxy: %d", status)
	}
}

// TestRunnersPage: what a runner says of its devices and why it takes no jobs is on the page, with the way to end it.
func TestRunnersPage(t *testing.T) {
	m := newMachine(t)
	m.stop()
	m.opts.BoardToken, m.opts.Pools = "a-token-of-this-test", map[string][]string{"b200-0": {"default"}, "b200-1": {"default"}}
	m.start()
	notes, ok := m.queue.(queue.Notes)
	if !ok {
		t.Fatal("the queue keeps no notes")
	}
	now, celsius := time.Now(), int64(41)
	state := queue.RunnerState{Name: "b200-0", State: queue.RunnerQuarantined, Reason: "Xid 79 <b>", Device: "NVIDIA B200", At: now, Since: now.Add(-3 * time.Hour), Manual: true,
		Cards: []queue.CardState{{Name: "NVIDIA B200", Driver: "580.95", TotalBytes: 179 << 30, UsedBytes: 1 << 30, Celsius: &celsius, Processes: 2, At: now.Add(-5 * time.Minute)}}}
	if err := queue.Beat(t.Context(), notes, state); err != nil {
		t.Fatal(err)
	}
	status, body := get(t, strings.TrimSuffix(m.hook, "/webhook")+"/board/runners", "Authorization", "Bearer "+m.opts.BoardToken)
	for _, want := range []string{"Xid 79 &lt;b&gt;", "Since 3 h ago", "An operator set it", "--end", "5 min ago: 178 of 179 GiB free, driver 580.95, 41 °C, 2 processes", "silent"} {
		if status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%d, no %q in %s", status, want, body)
		}
	}
}
