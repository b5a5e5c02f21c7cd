package runner

import (
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/queue"
)

// TestProgress: how far a check is, its log while it runs, and that it has ended, for a job of the server's own.
func TestProgress(t *testing.T) {
	t.Parallel()
	q := queue.NewMemory()
	job := aJob(t, q, "job")
	send(t, q, job)
	o := options(t, q, "say:\x1b[31mred_words progress:capture/regions/43/62 pass")
	if err := Run(t.Context(), o, nil); err != nil {
		t.Fatal(err)
	}
	p, err := queue.GetProgress(t.Context(), q, "p", "", job.ID)
	if err != nil {
		t.Fatal(err)
	}
	if p.String() != "capture: 43 of 62 regions" || p.Epoch != 1 || p.Runner != "r1" || !p.Ended || p.Pieces == 0 {
		t.Errorf("%+v", p)
	}
	var log strings.Builder
	for n := range p.Pieces {
		piece, err := q.GetNote(t.Context(), queue.LogName("p", "", job.ID, p.Epoch, n))
		if err != nil {
			t.Fatal(err)
		}
		log.Write(piece)
	}
	if !strings.Contains(log.String(), "red words\n") || strings.Contains(log.String(), "\x1b") {
		t.Errorf("log %q", log.String())
	}
}

// TestParseProgress: what is shown to people is words and counts.
func TestParseProgress(t *testing.T) {
	for in, want := range map[string]string{
		`{"phase":"capture","unit":"regions","done":1,"total":2}`: "capture: 1 of 2 regions",
		`{"phase":"source"}`:                          "source",
		`{"phase":"<script>"}`:                        "",
		`{"phase":"eager","done":-1}`:                 "",
		`{"phase":"` + strings.Repeat("x", 41) + `"}`: "",
		`{"phase":`: "",
		`[]`:        "",
		``:          "",
	} {
		got := ""
		if p, ok := parseProgress([]byte(in)); ok {
			got = p.String()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

func FuzzParseProgress(f *testing.F) {
	f.Add([]byte(`{"phase":"capture","unit":"regions","done":1,"total":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, ok := parseProgress(data); ok && (strings.ContainsAny(p.String(), "<>&\"'\n\x1b") || p.Phase == "") {
			t.Errorf("%q became %q", data, p)
		}
	})
}
