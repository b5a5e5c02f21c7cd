package judge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

// ranked makes an input of hand-written events of several ranks, each a process of its own.
func ranked(t *testing.T, ranks ...string) *dynamic.Input {
	t.Helper()
	in := &dynamic.Input{Trace: &trace.Trace{}, Root: "/repo"}
	for rank, lines := range ranks {
		one := run(t, "probe", lines)
		one.Trace.Files[0].Header.Rank = rank
		for _, e := range one.Trace.Events {
			e.Base().Rank, e.Base().PID = rank, 7+rank
		}
		in.Trace.Files = append(in.Trace.Files, one.Trace.Files...)
		in.Trace.Events = append(in.Trace.Events, one.Trace.Events...)
	}
	in.Trace.Arrange()
	return in
}

const (
	gaveUp  = `"ev":"error","source":"user","code":"other_rank","text":"rank 1 gave up at the capture of step: no"`
	refused = `"ev":"error","source":"user","code":"capture_failed","text":"no","cuda":900,"of":"step",` + at5
)

// of4 is a rank whose outputs are compared with another module's.
func of4(bad string) string {
	return wanted + phase("eager", other+bad) + output("eager", "eager", "a") + output("replay", "replay", "a")
}

func failedPhase(name, lines string) string {
	return `"ev":"phase","name":"` + name + `","at":"enter"` + "\n" + lines + "\n" +
		`"ev":"phase","name":"` + name + `","at":"exit","status":"failed","reason":"x"` + "\n"
}

func TestRanks(t *testing.T) {
	for name, tc := range map[string]struct {
		check  string
		ranks  []string
		status finding.Status
		reason string
		found  []string
	}{
		"clean":            {"sync", []string{phase("sync", nothing), phase("sync", nothing)}, finding.StatusPass, "", nil},
		"on one rank only": {"sync", []string{phase("sync", nothing), phase("sync", waited)}, finding.StatusFail, "rank 1: ", []string{"GB107 m.py:5 rank 1 only"}},
		"on both":          {"sync", []string{phase("sync", waited), phase("sync", waited)}, finding.StatusFail, "every rank: ", []string{"GB107 m.py:5"}},
		"on two of three": {"sync", []string{phase("sync", waited), phase("sync", nothing), phase("sync", waited)}, finding.StatusFail, "ranks 0, 2: ",
			[]string{"GB107 m.py:5 ranks 0, 2 only"}},
		"on one of four": {"sync", []string{phase("sync", nothing), phase("sync", nothing), phase("sync", nothing), phase("sync", waited)}, finding.StatusFail, "rank 3: ",
			[]string{"GB107 m.py:5 rank 3 only"}},
		"one of four is not its reference": {"replay", []string{of4(""), of4(""), of4(`,"bad":1`), of4("")}, finding.StatusFail,
			"rank 2: step 3-4 returns something else than twin.py", []string{"GB716 :1 rank 2 only"}},
		"one rank cannot be captured": {"capture", []string{failedPhase("capture", gaveUp), failedPhase("capture", refused)}, finding.StatusFail, "rank 1: region step: no",
			[]string{"GB809 m.py:5 rank 1 only"}},
		"and none is replayed": {"replay", []string{failedPhase("capture", gaveUp), failedPhase("capture", refused)}, finding.StatusNotRun, "nothing to replay", nil},
		"one raises": {"sync", []string{failedPhase("sync", strings.Replace(gaveUp, "the capture of step", "step 3", 1)),
			failedPhase("sync", `"ev":"error","source":"user","code":"exception","text":"step(state, 3) raised ValueError"`)}, finding.StatusError, "rank 1: step(state, 3) raised", nil},
		"replay is wrong on one": {"replay", []string{output("eager", "eager", "a") + output("replay", "replay", "a"),
			output("eager", "eager", "a") + output("replay", "replay", "b")}, finding.StatusFail, "rank 1: replay differs", nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := Check(tc.check, ranked(t, tc.ranks...))
			if r.Check.Status != tc.status || !strings.HasPrefix(r.Check.Reason, tc.reason) {
				t.Errorf("%s: %q, want %s with %q", r.Check.Status, r.Check.Reason, tc.status, tc.reason)
			}
			var got []string
			for _, f := range r.Findings {
				_, only, _ := strings.Cut(f.Message, onRanks)
				got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s:%d %s", f.Rule, f.Path, f.Line, only)))
			}
			if d := cmp.Diff(tc.found, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestRankThatDies(t *testing.T) {
	in := ranked(t, phase("sync", nothing), `"ev":"phase","name":"sync","at":"enter"`)
	in.Trace.Files[1].Incomplete = "no end event"
	in.Died = []trace.Death{{Rank: 1, How: "rank 1: in phase sync at step 4: the process ended"}}
	if r := Check(finding.CheckSync, in); r.Check.Status != finding.StatusError || r.Check.Reason != in.Died[0].How {
		t.Errorf("%+v", r.Check)
	}
}
