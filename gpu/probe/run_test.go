package probe

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/checks/calls"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

func TestRunCodes(t *testing.T) {
	for _, tc := range []struct {
		script string
		want   int
	}{{"exit 0", 0}, {"exit 7", 7}, {"kill -9 $$", 137}, {"kill -SEGV $$", 139}} {
		code, files, err := Run(t.Context(), Options{Library: "/none", Command: []string{"sh", "-c", tc.script}, TraceDir: t.TempDir(), Output: &bytes.Buffer{}})
		if code != tc.want || err != nil || len(files) != 0 {
			t.Errorf("%s: code %d, files %v, error %v", tc.script, code, files, err)
		}
	}
	if _, _, err := Run(t.Context(), Options{Command: []string{"/no/such/program"}, TraceDir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "/no/such/program") {
		t.Errorf("error %v", err)
	}
	used := t.TempDir()
	if err := os.WriteFile(filepath.Join(used, "trace-1.ndjson"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Run(t.Context(), Options{Command: []string{"true"}, TraceDir: used}); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Errorf("error %v", err)
	}
	if _, _, err := Run(t.Context(), Options{}); err == nil {
		t.Error("nothing was run without an error")
	}
}

// TestRunStopsTheTree: a program that does not end is stopped with all that it started.
func TestRunStopsTheTree(t *testing.T) {
	dir := t.TempDir()
	why := errors.New("too long")
	ctx, cancel := context.WithCancelCause(t.Context())
	alive := filepath.Join(dir, "pid")
	go func() {
		for {
			if data, err := os.ReadFile(alive); err == nil && len(data) > 0 {
				cancel(why)
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	_, _, err := Run(ctx, Options{Command: []string{"sh", "-c", "(trap '' TERM; sleep 300) & echo $! > pid; wait"}, Dir: dir, TraceDir: dir, Output: &bytes.Buffer{}})
	if !errors.Is(err, why) {
		t.Fatalf("error %v", err)
	}
	pid, err := os.ReadFile(alive)
	if err != nil {
		t.Fatal(err)
	}
	proc := filepath.Join("/proc", strings.TrimSpace(string(pid)), "stat")
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); {
		data, err := os.ReadFile(proc)
		if err != nil || strings.Contains(string(data), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the child is still running")
}

func TestFindSaysWhatIsMissing(t *testing.T) {
	t.Setenv(EnvLibrary, "/no/where.so")
	if _, err := Find(); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "/no/where.so") {
		t.Errorf("error %v", err)
	}
	file := filepath.Join(t.TempDir(), "p.so")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(EnvLibrary, file)
	if got, err := Find(); err != nil || got != file {
		t.Errorf("%q, %v", got, err)
	}
}

// TestVerdicts: nothing that was not shown passes, and a violation is not mixed up with what broke.
func TestVerdicts(t *testing.T) {
	header := func() *trace.Header { return &trace.Header{Common: trace.Common{Time: 1, PID: 9}, Writer: "probe"} }
	launch := func(at int64) trace.Event {
		return &trace.Launch{Common: trace.Common{Time: at, TID: 9}, Name: "cuLaunchKernel", Kernel: "k"}
	}
	sync := func(at int64) trace.Event {
		return &trace.API{Common: trace.Common{Time: at, TID: 9}, Name: "cudaDeviceSynchronize", Level: trace.Runtime, Class: trace.ClassSync,
			Frames: []trace.Frame{{File: "/repo/a.py", Line: 3, Func: "f"}}}
	}
	mark := func(at int64, edge string) trace.Event {
		return &trace.Region{Common: trace.Common{Time: at, TID: 9}, Name: "r", At: edge}
	}
	replay := &trace.API{Common: trace.Common{Time: 15, TID: 9}, Name: "cudaGraphLaunch", Level: trace.Runtime, Class: trace.ClassGraph}
	trouble := &trace.Error{Common: trace.Common{Time: 2}, Source: "probe", Code: "slot_taken", Text: "another tool holds the slot"}
	for name, tc := range map[string]struct {
		events  []trace.Event
		cut     bool
		nothing bool
		regions []string
		end     Ended
		want    finding.Verdict
		reason  string
	}{
		"clean":                      {events: []trace.Event{launch(2)}, want: finding.VerdictPass},
		"a sync after a launch":      {events: []trace.Event{launch(2), sync(3)}, want: finding.VerdictFail, reason: "one place"},
		"a sync before any launch":   {events: []trace.Event{sync(2), launch(3)}, want: finding.VerdictPass},
		"a sync outside the region":  {events: []trace.Event{mark(10, trace.Enter), launch(11), mark(12, trace.Exit), sync(13)}, regions: []string{"r"}, want: finding.VerdictPass},
		"a sync inside the region":   {events: []trace.Event{mark(10, trace.Enter), launch(11), sync(12), mark(13, trace.Exit)}, regions: []string{"r"}, want: finding.VerdictFail},
		"only replays in the region": {events: []trace.Event{mark(10, trace.Enter), replay, mark(16, trace.Exit)}, regions: []string{"r"}, want: finding.VerdictPass},
		"no launch":                  {events: []trace.Event{}, want: finding.VerdictError, reason: "no kernel was launched"},
		"an empty region":            {events: []trace.Event{launch(9), mark(10, trace.Enter), mark(12, trace.Exit)}, regions: []string{"r"}, want: finding.VerdictError, reason: "no kernel was launched inside"},
		"a region that never ran":    {events: []trace.Event{launch(2)}, regions: []string{"r"}, want: finding.VerdictError, reason: "r never ran"},
		"no end":                     {events: []trace.Event{launch(2), sync(3)}, cut: true, want: finding.VerdictError, reason: "no end event"},
		"no trace at all":            {nothing: true, want: finding.VerdictError, reason: "no trace file"},
		"the probe had trouble":      {events: []trace.Event{trouble, launch(3)}, want: finding.VerdictError, reason: "another tool holds the slot"},
		"the command failed":         {events: []trace.Event{launch(2)}, end: Ended{true, 4}, want: finding.VerdictError, reason: "code 4"},
		"a sync, and it failed too":  {events: []trace.Event{launch(2), sync(3)}, end: Ended{true, 4}, want: finding.VerdictFail},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			w, err := trace.NewWriter(&b, header())
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range tc.events {
				if err := w.Write(e); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(99); err != nil {
				t.Fatal(err)
			}
			data := b.String()
			if tc.cut {
				data = data[:strings.LastIndex(data[:len(data)-1], "\n")+1]
			}
			tr := &trace.Trace{}
			if !tc.nothing {
				if err := tr.Read(strings.NewReader(data), "t"); err != nil {
					t.Fatal(err)
				}
			}
			tr.Arrange()
			r := Results(tr, calls.Scope{Root: "/repo", Regions: tc.regions, Warmup: 1}, finding.Error, tc.end)
			if r.Verdict != tc.want || !strings.Contains(strings.Join(r.Reasons, ";"), tc.reason) {
				t.Errorf("verdict %s, reasons %q, want %s, %q", r.Verdict, r.Reasons, tc.want, tc.reason)
			}
			if tc.want == finding.VerdictFail {
				f := r.Findings[0]
				if diff := cmp.Diff([]any{"GB106", "device-synchronize", "a.py", 3, true}, []any{f.Rule, f.Name, f.Path, f.Line, f.Fix != ""}); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
			}
		})
	}
}

func TestDump(t *testing.T) {
	tr, err := trace.Load("testdata/h200/capture.ndjson.gz", "testdata/h200/plain.ndjson.gz")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Dump(&b, tr, DumpOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"NVIDIA H200, compute capability 9.0", "cudaStreamSynchronize", "code=900", "capture.py:18 <module>", "plain _Z11decode_stepPfS_", "device→pageable 256 bytes"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in the dump", want)
		}
	}
	if n := strings.Count(b.String(), "\n"); n != len(tr.Events)+len(tr.Files) {
		t.Errorf("%d lines for %d events", n, len(tr.Events))
	}
	b.Reset()
	if err := Dump(&b, tr, DumpOptions{Kinds: []trace.Kind{trace.KindLaunch}, Region: "no such region"}); err != nil || strings.Count(b.String(), "\n") != len(tr.Files) {
		t.Errorf("%v, %s", err, &b)
	}
	b.Reset()
	if err := Dump(&b, tr, DumpOptions{Kinds: []trace.Kind{trace.KindLaunch}}); err != nil {
		t.Fatal(err)
	}
	if n := len(trace.Of[*trace.Launch](tr)) + len(tr.Files); strings.Count(b.String(), "\n") != n {
		t.Errorf("%d lines, want the %d launches and heads", strings.Count(b.String(), "\n"), n)
	}
	if long := short(strings.Repeat("x", 61), false); len([]rune(long)) != 60 || short(strings.Repeat("x", 61), true) != strings.Repeat("x", 61) {
		t.Errorf("shortened to %q", long)
	}
}
