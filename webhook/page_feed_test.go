package webhook

import (
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/queue"
)

// TestLogOfAJob: what a runner leaves on the queue of a job is on the job's pages, and where one attempt was spoilt its log
// stays until the next one says something.
func TestLogOfAJob(t *testing.T) {
	m := newMachine(t)
	m.stop()
	m.opts.PublicURL = "https://gate.example"
	m.start()
	m.commit("main", "a.py", clean)
	head := m.commit("topic", "a.py", dirty)
	m.open("topic")
	details := strings.TrimPrefix(m.completed(head).DetailsURL, "https://gate.example")
	m.recorded()
	root, key := strings.TrimSuffix(m.hook, "/webhook"), strings.Split(details, "/")[2]
	notes, ok := m.queue.(queue.Notes)
	if !ok {
		t.Fatal("the queue keeps no notes")
	}
	if status, _ := get(t, root+details+"/log.txt"); status != 404 {
		t.Errorf("no log yet: %d", status)
	}
	put := func(attempt, epoch int, pieces ...string) {
		t.Helper()
		for n, text := range pieces {
			if err := notes.PutNote(t.Context(), queue.LogName("default", "", attemptID(key, attempt), epoch, n), []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		p := queue.Progress{Epoch: epoch, Runner: "b200-0", Phase: "capture", Pieces: len(pieces), Ended: true}
		if err := queue.PutProgress(t.Context(), notes, "default", "", attemptID(key, attempt), p); err != nil {
			t.Fatal(err)
		}
	}
	put(1, 3, "one\n", "\x1b[31mtwo\x1b[0m\n")
	if _, body := get(t, root+details+"/log.txt"); body != "one\ntwo\n" {
		t.Errorf("%q", body)
	}
	if _, body := get(t, root+details); !strings.Contains(body, details+`/log.txt">log</a>`) {
		t.Error("the report does not lead to the log")
	}
	if _, body := get(t, root+details+"/events"); !strings.Contains(body, `data: "one\n"`) || !strings.Contains(body, "id: 1.3.2") || !strings.Contains(body, "event: end") {
		t.Errorf("%q", body)
	}
	f := feed{m.server.planner, key, "default"}
	err := change(t.Context(), &m.server.planner.store, queue.BucketJobs, key, func(r *Record) bool { r.Attempt = 2; return true })
	if err != nil {
		t.Fatal(err)
	}
	if p, err := f.Progress(t.Context()); err != nil || p == nil || p.Attempt != 1 || p.Lease != 3 {
		t.Errorf("%+v %v", p, err)
	}
	put(2, 4, "again\n")
	if p, err := f.Progress(t.Context()); err != nil || p == nil || p.Attempt != 2 || p.Pieces != 1 {
		t.Errorf("%+v %v", p, err)
	}
}
