package dsv4

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/gate"
	"github.com/gatebot/gatebot/internal/verdict"
)

var update = flag.Bool("update", false, "write results and the fix log anew from the recordings")

// expectation is what a recording has to show.
type expectation struct {
	rev     string // commit of the history: subject of the clean tree, or a row's
	verdict finding.Verdict
	status  map[string]finding.Status
	reason  map[string]string // part of a check's reason
	lines   []string          // PATH:LINE that some check on the card has to name
}

// expectations are what each recording has to show. The violations were recorded on the step of phase 2,
// the second and the seventh with four layers, since of longer ones no two steps of allocations were kept.
func expectations(t *testing.T) map[string]expectation {
	t.Helper()
	const pass, fail, none = finding.StatusPass, finding.StatusFail, finding.StatusNotRun
	whole := map[string]finding.Status{"sync": pass, "drift": pass, "alloc": pass, "capture": pass, "replay": pass, "speed": pass}
	refused := map[string]finding.Status{"sync": fail, "capture": fail, "replay": none, "speed": none}
	wrong := map[string]finding.Status{"sync": pass, "capture": pass, "replay": fail}
	raised := finding.StatusError
	out := map[string]expectation{
		"phase1-steps": {rev: clean, verdict: finding.VerdictPass, status: whole, reason: map[string]string{"alloc": "captured regions make 0 when replayed"}},
		"phase2-steps": {rev: clean, verdict: finding.VerdictPass, status: whole, reason: map[string]string{"alloc": "captured regions make 0 when replayed"}},
	}
	long := map[string]finding.Status{"capture": pass, "replay": pass, "speed": pass}
	out["phase1"] = expectation{rev: clean, verdict: finding.VerdictPass, status: long}
	out["phase1-sync"] = expectation{rev: clean, verdict: finding.VerdictPass, status: map[string]finding.Status{"sync": pass},
		reason: map[string]string{"sync": "66 replayed steps looked at as well"}}
	out["phase2"] = expectation{rev: clean, verdict: finding.VerdictPass, status: long}
	out["split"] = expectation{rev: clean, verdict: finding.VerdictPass, status: map[string]finding.Status{"sync": pass, "drift": pass, "capture": pass, "replay": pass}}
	rows, err := Rows()
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range map[string]expectation{
		"01-mhc-item": {verdict: finding.VerdictFail, status: map[string]finding.Status{"sync": fail, "capture": fail},
			reason: map[string]string{"sync": "732× a step"}, lines: []string{"dsv4/mhc.py:37", "dsv4/quantize.py:22"}},
		"02-init-state-clone": {verdict: finding.VerdictFail, status: whole, lines: []string{"dsv4/embed.py:21", "dsv4/mhc.py:48"}},
		"03-token-transfer": {verdict: finding.VerdictFail, status: refused, reason: map[string]string{"sync": "127× a step"},
			lines: []string{"dsv4/grouped_linear.py:45", "dsv4/tokens.py:22", "dsv4/tokens.py:23"}},
		"04-scale-view":       {verdict: finding.VerdictFail, status: wrong, reason: map[string]string{"replay": "something else than reference"}},
		"05-conditional-read": {verdict: finding.VerdictFail, status: refused, reason: map[string]string{"sync": "61× a step"}, lines: []string{"dsv4/grouped_linear.py:45"}},
		"06-bincount":         {verdict: finding.VerdictFail, status: refused, reason: map[string]string{"sync": "122× a step"}, lines: []string{"dsv4/moe.py:48"}},
		"07-scale-buffer":     {verdict: finding.VerdictFail, status: whole, lines: []string{"dsv4/grouped_linear.py:33", "dsv4/quantize.py:25"}},
		"08-scatter-index": {verdict: finding.VerdictFail, status: map[string]finding.Status{"sync": raised, "capture": raised, "replay": raised},
			reason: map[string]string{"sync": "Expected dtype int32/int64 for index (dsv4/moe.py:49)"}},
		"09-stride-0": {verdict: finding.VerdictFail, status: wrong, reason: map[string]string{"replay": "something else than reference"}},
	} {
		for _, r := range rows {
			if r.Name == name {
				e.rev = r.Bad
			}
		}
		out[name] = e
	}
	return out
}

// judged judges a recording against the tree that it was made from.
func judged(t *testing.T, repo string, ids map[string]string, name string, e expectation) *finding.Results {
	t.Helper()
	rec, err := readRecording(os.DirFS("."), name)
	if err != nil {
		t.Fatal(err)
	}
	run, err := gate.Recorded(t.Context(), gate.CheckRequest{Request: gate.Request{Dir: repo, Rev: ids[e.rev]}, Only: rec.Only}, rec.Input)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = run.Close() }()
	run.Results.Tool = finding.Tool{Name: "gatebot"}
	verdict.Decide(run.Results)
	return run.Results
}

// measured are the metrics that no change of a check's wording or bookkeeping moves.
var measured = []string{"calls_per_step", "regions", "graphs", "nodes", "steps", "wrong_steps", "references", "wrong_against_reference",
	"replay_allocs_per_step"}

// essence is what a results file and a recording have to agree on: verdicts, what was measured, and what gates.
func essence(r *finding.Results) []string {
	out := []string{"verdict " + string(r.Verdict), "tree " + r.Tree}
	for _, c := range r.Checks {
		out = append(out, c.Name+" "+string(c.Status))
		for _, m := range measured {
			if v, ok := c.Metrics[m]; ok && c.Name != finding.CheckDrift {
				out = append(out, fmt.Sprintf("%s %s %g", c.Name, m, v))
			}
		}
		for _, g := range c.Regions {
			out = append(out, fmt.Sprintf("%s %s %s", c.Name, g.Name, g.Status))
		}
	}
	for _, f := range r.Findings {
		if f.Severity != finding.Info {
			out = append(out, fmt.Sprintf("%s %s:%d %s %s", f.Rule, f.Path, f.Line, f.Severity, f.Confidence))
		}
	}
	return out
}

// agree compares the results file of a recording with what it gives now, or writes it.
func agree(t *testing.T, file string, got *finding.Results) {
	t.Helper()
	if *update {
		var out bytes.Buffer
		if err := got.Write(&out); err != nil {
			t.Fatal(err)
		}
		write(t, file, out.Bytes())
		return
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var want finding.Results
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(essence(&want), essence(got)); d != "" {
		t.Errorf("%s is not what the recording says (go test ./examples/dsv4 -update writes it anew): %s", file, d)
	}
}

func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestRecordings computes every verdict again from what the card recorded, and the results files with it.
func TestRecordings(t *testing.T) {
	repo := history(t)
	ids := commits(t, repo)
	for name, e := range expectations(t) {
		t.Run(name, func(t *testing.T) {
			r := judged(t, repo, ids, name, e)
			if r.Verdict != e.verdict {
				t.Errorf("verdict %s, want %s: %v", r.Verdict, e.verdict, r.Reasons)
			}
			told := map[string]bool{}
			for _, c := range r.Checks {
				if want, ok := e.status[c.Name]; ok && c.Status != want {
					t.Errorf("%s: %s (%s), want %s", c.Name, c.Status, c.Reason, want)
				}
				if !strings.Contains(c.Reason, e.reason[c.Name]) {
					t.Errorf("%s: %q, want %q", c.Name, c.Reason, e.reason[c.Name])
				}
			}
			for _, f := range r.Findings {
				if f.Confidence == finding.Proven {
					told[place(f.Path, f.Line)] = true
				}
			}
			for _, l := range e.lines {
				if !told[l] {
					t.Errorf("the card does not name %s: %v", l, told)
				}
			}
			agree(t, filepath.Join("results", name+".json"), r)
		})
	}
}

// TestFixLog: the history and what the card measured of its trees give the nine rows, and nothing else.
func TestFixLog(t *testing.T) {
	repo := history(t)
	ids := commits(t, repo)
	l, err := gate.OpenFixLog(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if err := l.WithResults([]string{"results"}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Update(t.Context(), "", nil); err != nil {
		t.Fatal(err)
	}
	doc, err := l.Render()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := Rows()
	if err != nil {
		t.Fatal(err)
	}
	logged := l.Ledger.Rows()
	for i, r := range rows {
		if i >= len(logged) || logged[i].Commit != ids[r.Fix] || logged[i].RegressedIn != "" {
			t.Errorf("row %d is not the fix of %s: %+v", i+1, r.Name, logged)
			break
		}
	}
	if len(logged) != len(rows) {
		t.Errorf("%d rows, want %d", len(logged), len(rows))
	}
	if *update {
		write(t, "FIXES.md", doc)
		return
	}
	want, err := os.ReadFile("FIXES.md")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(doc)); d != "" {
		t.Errorf("FIXES.md (go test ./examples/dsv4 -update writes it anew): %s", d)
	}
}
