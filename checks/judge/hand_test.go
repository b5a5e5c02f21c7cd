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

// run makes an input of hand-written events: each line lacks its time and process, which follow from its place.
func run(t *testing.T, writer, lines string) *dynamic.Input {
	t.Helper()
	var b strings.Builder
	n := 0
	put := func(fields string) {
		n++
		fmt.Fprintf(&b, "{\"t\":%d,\"pid\":7,%s}\n", n, fields)
	}
	put(`"ev":"header","schema":"gatebot.trace/v1","writer":"` + writer + `"`)
	put(`"ev":"measure","name":"first_step","unit":"count","value":3`)
	for _, l := range strings.Split(strings.TrimSpace(lines), "\n") {
		put(strings.TrimSpace(l))
	}
	put(fmt.Sprintf(`"ev":"end","events":%d`, n))
	in := &dynamic.Input{Trace: &trace.Trace{}, Root: "/repo"}
	if err := in.Trace.Read(strings.NewReader(b.String()), "hand"); err != nil {
		t.Fatal(err)
	}
	in.Trace.Arrange()
	return in
}

// phase puts lines inside a phase that ended well, once for each of steps 3 and 4.
func phase(name, lines string) string {
	s := `"ev":"phase","name":"` + name + `","at":"enter"` + "\n"
	for i := 3; i <= 4; i++ {
		s += fmt.Sprintf(`"ev":"step","at":"enter","i":%d`, i) + "\n" + strings.ReplaceAll(strings.TrimSpace(lines), "$I", fmt.Sprint(i)) +
			fmt.Sprintf("\n"+`"ev":"step","at":"exit","i":%d`, i) + "\n"
	}
	return s + `"ev":"phase","name":"` + name + `","at":"exit","status":"ok"` + "\n"
}

const (
	at5      = `"frames":[{"file":"/v/site-packages/torch/x.py","line":1,"func":"t"},{"file":"/repo/m.py","line":5,"func":"step"}]`
	nothing  = `"ev":"region","name":"step","at":"enter"`
	warned   = `"ev":"warning","source":"torch.sync_debug","text":"called a synchronizing CUDA operation",` + at5
	copied   = `"ev":"api","tid":1,"name":"cudaMemcpyAsync","level":"runtime","class":"copy","dur":10,"code":0,"stream":"0x0","copy":{"dir":"dtoh","bytes":4,"src":"device","dst":"pageable","async":true},` + at5
	waited   = `"ev":"api","tid":1,"name":"cudaStreamSynchronize","level":"runtime","class":"sync","dur":20,"code":0,"stream":"0x0",` + at5
	pinnedUp = `"ev":"api","tid":1,"name":"cudaMemcpyAsync","level":"runtime","class":"copy","dur":10,"code":0,"stream":"0x0","copy":{"dir":"htod","bytes":4,"src":"pinned","dst":"device","async":true},` + at5
	queried  = `"ev":"api","tid":1,"name":"cudaEventQuery","level":"runtime","class":"query","dur":1,"code":0,"frames":[{"file":"/v/site-packages/torch/x.py","line":1,"func":"copy_"},{"file":"/repo/m.py","line":5,"func":"step"}]`
	launched = `"ev":"launch","tid":1,"name":"cuLaunchKernel","kernel":"k","grid":[1,1,1],"block":[32,1,1],"smem":0,"stream":"0x0","dur":1,"code":0`
	mallocs  = `"ev":"api","name":"cudaMalloc","level":"runtime","class":"alloc","dur":9,"code":0,"bytes":512,` + at5
	added    = `"ev":"op","name":"aten.add.Tensor","args":"f32[4]@cuda:0","numbers":"1",` + at5
)

const referenced = `"ev":"tensor","name":"out","role":"reference","mode":"eager","i":$I,"shape":[4],"dtype":"torch.float32"`

const (
	every    = `"ev":"measure","name":"sync_all","unit":"count","value":2` + "\n"
	nothing1 = `"ev":"measure","name":"x","unit":"count","value":0`

	wanted = `"ev":"measure","name":"reference","of":"twin.py","unit":"count","value":1` + "\n"
	other  = `"ev":"tensor","name":"out","role":"reference","against":"twin.py","mode":"eager","i":$I,"shape":[4],"dtype":"torch.float32"`
)

func output(mode, phaseName, digest string) string {
	return phase(phaseName, `"ev":"tensor","name":"out","role":"output","mode":"`+mode+`","i":$I,"shape":[1],"dtype":"torch.float32","digest":"`+digest+`"`)
}

func TestChecksOnHandWrittenRuns(t *testing.T) {
	one, two := 1.0, 2.0
	for name, tc := range map[string]struct {
		check, writer, lines string
		max, min             *float64
		need                 bool
		status               finding.Status
		reason               string   // part of it
		found                []string // rule severity path:line
	}{
		"no wait":                 {check: "sync", writer: "probe", lines: phase("sync", nothing), status: finding.StatusPass},
		"no wait, no probe":       {check: "sync", writer: "harness", lines: phase("sync", nothing), status: finding.StatusPass, reason: "probe is missing"},
		"no wait, probe required": {check: "sync", writer: "harness", lines: phase("sync", nothing), need: true, status: finding.StatusError, reason: "probe missing"},
		"torch's mode alone": {check: "sync", writer: "harness", lines: phase("sync", warned), need: true, status: finding.StatusFail, reason: "1 line",
			found: []string{"GB103 error m.py:5"}},
		"copy and its wait are one": {check: "sync", writer: "probe", lines: phase("sync", copied+"\n"+waited), status: finding.StatusFail, reason: "1× a step",
			found: []string{"GB101 error m.py:5"}},
		"a wait alone": {check: "sync", writer: "probe", lines: phase("sync", waited), status: finding.StatusFail, found: []string{"GB107 error m.py:5"}},
		"pageable and asynchronous in name": {check: "sync", writer: "probe", lines: phase("sync", copied), status: finding.StatusFail,
			found: []string{"GB113 error m.py:5"}},
		"upload from pinned memory": {check: "sync", writer: "probe", lines: phase("sync", pinnedUp), status: finding.StatusPass},
		"the allocator's own query": {check: "sync", writer: "probe", lines: phase("sync", queried), status: finding.StatusPass},
		"the probe could not see": {check: "sync", writer: "probe", lines: `"ev":"error","source":"probe","code":"slot_taken","text":"another tool holds the slot"` + "\n" +
			phase("sync", nothing), status: finding.StatusError, reason: "another tool"},
		"words on stderr only": {check: "sync", writer: "harness", lines: strings.Replace(phase("sync", nothing), `"ev":"phase","name":"sync","at":"exit"`,
			`"ev":"warning","source":"torch.stderr","text":"x"`+"\n"+`"ev":"phase","name":"sync","at":"exit"`, 1), status: finding.StatusFail, reason: "stderr"},
		"never reached": {check: "sync", writer: "harness", lines: `"ev":"error","source":"user","code":"exception","text":"step raised","hint":"look",` + at5,
			status: finding.StatusError, reason: "step raised (m.py:5): look"},

		"a long run that was cut": {check: "sync", writer: "probe", lines: strings.Replace(phase("sync", nothing), `"ev":"phase","name":"sync","at":"exit"`,
			`"ev":"warning","source":"harness.shortened","text":"steps 3 to 4 were looked at"`+"\n"+`"ev":"phase","name":"sync","at":"exit"`, 1), status: finding.StatusPass, reason: "steps 3 to 4 were looked at"},
		"all steps, and no wait": {check: "sync", writer: "probe", lines: every + phase("sync", nothing) + phase("replay", `"ev":"launch","name":"cuGraphLaunch","kernel":""`),
			status: finding.StatusPass, reason: "2 replayed steps looked at as well"},
		"a wait of later steps": {check: "sync", writer: "probe", lines: every + phase("sync", nothing1) + strings.Replace(phase("replay", waited), waited, nothing1, 1),
			status: finding.StatusFail, reason: "at 1 line between the graphs of replayed steps", found: []string{"GB107 error m.py:5"}},
		"a wait of all steps is told once": {check: "sync", writer: "probe", lines: every + phase("sync", waited) + phase("replay", waited), status: finding.StatusFail,
			reason: "at 1 line, 1× a step", found: []string{"GB107 error m.py:5"}},
		"what a capture among them waits for": {check: "sync", writer: "probe", lines: every + phase("sync", nothing) + phase("replay", nothing+"\n"+waited+"\n"+`"ev":"region","name":"step","at":"exit"`),
			status: finding.StatusPass},
		"a wait of a replay that nobody asked about": {check: "sync", writer: "probe", lines: phase("sync", nothing) + phase("replay", waited), status: finding.StatusPass},
		"all steps, and no replay":                   {check: "sync", writer: "probe", lines: every + phase("sync", nothing), status: finding.StatusError, reason: "were not: the replay phase was not reached"},
		"equal steps":                                {check: "drift", writer: "harness", lines: phase("drift", added), status: finding.StatusPass},
		"other number":                               {check: "drift", writer: "harness", lines: phase("drift", strings.Replace(added, `"1"`, `"$I"`, 1)), status: finding.StatusFail, found: []string{"GB701 warn m.py:5"}},
		"other shape":                                {check: "drift", writer: "harness", lines: phase("drift", strings.Replace(added, `[4]`, `[$I]`, 1)), status: finding.StatusFail, found: []string{"GB717 warn m.py:5"}},
		"other shape and a right replay": {check: "drift", writer: "harness", lines: phase("drift", strings.Replace(added, `[4]`, `[$I]`, 1)) +
			output("eager", "eager", "a") + output("replay", "replay", "a"), status: finding.StatusPass, reason: "right all the same", found: []string{"GB717 info m.py:5"}},
		"other launch under equal operations": {check: "drift", writer: "probe", lines: phase("drift", strings.Replace(launched, "[32,", "[3$I,", 1)+"\n"+added), status: finding.StatusFail,
			found: []string{"GB717 warn m.py:5"}},
		"one launch more, past the dispatcher": {check: "drift", writer: "probe", lines: strings.Replace(phase("drift", added+"\n"+launched+","+at5), launched+","+at5, added, 1),
			status: finding.StatusFail, found: []string{"GB717 warn m.py:5"}},
		"other size of a copy": {check: "drift", writer: "probe", lines: phase("drift", strings.Replace(copied, `"bytes":4`, `"bytes":$I`, 1)+"\n"+added), status: finding.StatusFail, found: []string{"GB717 warn m.py:5"}},
		"written as the same":  {check: "drift", writer: "harness", lines: strings.Replace(phase("drift", added), `"i":4`+"\n"+added, `"i":4`+"\n"+`"ev":"same","of":3`, 1), status: finding.StatusPass},
		"the same but for one operation": {check: "drift", writer: "harness", lines: strings.Replace(phase("drift", added+"\n"+added), `"i":4`+"\n"+added+"\n"+added,
			`"i":4`+"\n"+`"ev":"same","of":3`+"\n"+strings.Replace(strings.Replace(added, `"numbers":"1"`, `"numbers":"2","n":2`, 1), `"line":5`, `"line":6`, 1), 1),
			status: finding.StatusFail, found: []string{"GB701 warn m.py:6"}},
		"nothing recorded": {check: "drift", writer: "harness", lines: phase("drift", nothing), status: finding.StatusError},

		"allocations are shown": {check: "alloc", writer: "harness", lines: phase("alloc", `"ev":"alloc","op":"alloc","bytes":8,`+at5+"\n"+`"ev":"measure","name":"allocs","unit":"count","value":2`),
			status: finding.StatusPass, reason: "2 allocations", found: []string{"GB302 info m.py:5"}},
		"what a replay asks for": {check: "alloc", writer: "harness", lines: phase("alloc", `"ev":"measure","name":"allocs","unit":"count","value":2`) +
			phase("replay", `"ev":"measure","name":"replay_allocs","unit":"count","value":0`), status: finding.StatusPass, reason: "captured regions make 0 when replayed"},
		"within the bound": {check: "alloc", writer: "harness", lines: phase("alloc", `"ev":"measure","name":"allocs","unit":"count","value":2`), max: &two, status: finding.StatusPass},
		"over the bound":   {check: "alloc", writer: "harness", lines: phase("alloc", `"ev":"measure","name":"allocs","unit":"count","value":2`), max: &one, status: finding.StatusFail},
		"the cache is emptied": {check: "alloc", writer: "harness", lines: phase("alloc", `"ev":"measure","name":"allocs","unit":"count","value":0`+"\n"+
			`"ev":"warning","source":"harness.cache_flush","text":"gives back",`+at5), status: finding.StatusFail, found: []string{"GB304 error m.py:5"}},
		"memory goes back to the driver": {check: "alloc", writer: "harness", lines: phase("alloc", `"ev":"alloc","op":"segment_free","bytes":8,`+at5+"\n"+`"ev":"measure","name":"allocs","unit":"count","value":0`),
			status: finding.StatusFail, reason: "gives memory back", found: []string{"GB304 error m.py:5"}},
		"page-locked in every step": {check: "alloc", writer: "harness", lines: phase("alloc", `"ev":"measure","name":"allocs","unit":"count","value":0`+"\n"+`"ev":"alloc","op":"pin","bytes":0,`+at5),
			status: finding.StatusFail, found: []string{"GB303 error m.py:5"}},
		"staged in pinned memory by a read": {check: "alloc", writer: "harness", lines: phase("sync", warned) + phase("alloc", `"ev":"measure","name":"allocs","unit":"count","value":0`+"\n"+`"ev":"alloc","op":"pin","bytes":0,`+at5),
			status: finding.StatusPass},
		"cudaMalloc in the step": {check: "alloc", writer: "probe", lines: phase("alloc", `"ev":"measure","name":"allocs","unit":"count","value":0`+"\n"+
			`"ev":"api","name":"cudaMalloc","level":"runtime","class":"alloc","dur":9,"code":0,"bytes":512,`+at5), status: finding.StatusFail, found: []string{"GB301 warn m.py:5"}},
		"cudaMalloc once is start-up": {check: "alloc", writer: "probe", lines: strings.Replace(phase("alloc", `"ev":"measure","name":"allocs","unit":"count","value":0`+"\n"+mallocs), mallocs, nothing, 1),
			status: finding.StatusPass},
		"in stream order": {check: "alloc", writer: "probe", lines: phase("alloc", `"ev":"measure","name":"allocs","unit":"count","value":0`+"\n"+
			`"ev":"api","name":"cudaMallocAsync","level":"runtime","class":"alloc","dur":9,"code":0,"bytes":512,`+at5), status: finding.StatusPass, found: []string{"GB305 info m.py:5"}},
		"cudaFree in the step": {check: "alloc", writer: "probe", lines: phase("alloc", `"ev":"measure","name":"allocs","unit":"count","value":0`+"\n"+
			`"ev":"api","name":"cudaFree","level":"runtime","class":"free","dur":9,"code":0,`+at5), status: finding.StatusFail, found: []string{"GB304 error m.py:5"}},

		"captured": {check: "capture", writer: "harness", lines: phase("capture", `"ev":"graph","name":"step","nodes":3,"edges":-1,"kinds":{"kernel":3},"launches":-1`), status: finding.StatusPass},
		"empty graph": {check: "capture", writer: "harness", lines: phase("capture", `"ev":"graph","name":"step","nodes":0,"edges":-1,"launches":-1`),
			status: finding.StatusFail, reason: "empty", found: []string{"GB609 error :1"}},
		"less work than eager": {check: "capture", writer: "probe", lines: phase("sync", `"ev":"region","tid":1,"name":"step","at":"enter"`+"\n"+launched+"\n"+launched+"\n"+`"ev":"region","tid":1,"name":"step","at":"exit"`) +
			`"ev":"warning","source":"harness.region","text":"step","frames":[{"file":"/repo/m.py","line":2,"func":"step"}]` + "\n" +
			phase("capture", `"ev":"graph","name":"step","nodes":1,"edges":-1,"kinds":{"kernel":1},"launches":-1`), status: finding.StatusFail, reason: "2 launches and copies in the eager step, 1 in the graph",
			found: []string{"GB609 error m.py:2"}},
		"region that no step calls": {check: "capture", writer: "harness", lines: `"ev":"measure","name":"region","of":"a.pre","unit":"count","value":1` + "\n" + phase("capture", nothing),
			status: finding.StatusError, reason: "a.pre"},
		"refused": {check: "capture", writer: "harness", lines: `"ev":"error","source":"user","code":"capture_failed","text":"no","cuda":900,"of":"step",` + at5,
			status: finding.StatusFail, reason: "region step: no", found: []string{"GB809 error m.py:5"}},
		"nobody joined": {check: "capture", writer: "harness", lines: `"ev":"warning","source":"harness.definition","text":"step","frames":[{"file":"/repo/m.py","line":2,"func":"step"}]` + "\n" +
			`"ev":"error","source":"user","code":"capture_failed","text":"no","cuda":904,"of":"step"`, status: finding.StatusFail, found: []string{"GB603 error m.py:2"}},

		"replay is right": {check: "replay", writer: "harness", lines: output("eager", "eager", "a") + output("eager", "sync", "a") + output("replay", "replay", "a"), status: finding.StatusPass},
		"replay is wrong": {check: "replay", writer: "harness", lines: `"ev":"warning","source":"harness.definition","text":"step","frames":[{"file":"/repo/m.py","line":2,"func":"step"}]` + "\n" +
			output("eager", "eager", "a") + output("replay", "replay", "b"), status: finding.StatusFail, reason: "step 3-4", found: []string{"GB716 error m.py:2"}},
		"eager differs from itself": {check: "replay", writer: "harness", lines: output("eager", "eager", "a") + output("eager", "sync", "b") + output("replay", "replay", "b"),
			status: finding.StatusError, reason: "two eager runs"},
		"nothing compared": {check: "replay", writer: "harness", lines: output("eager", "eager", "a") + phase("replay", nothing), status: finding.StatusError},
		"wrong in eager mode too": {check: "replay", writer: "harness", lines: `"ev":"warning","source":"harness.definition","text":"step","frames":[{"file":"/repo/m.py","line":2,"func":"step"}]` + "\n" +
			phase("eager", referenced+`,"bad":3,"max_abs":0.5,"first_at":[1]`) + output("eager", "eager", "a") + output("replay", "replay", "a"), status: finding.StatusFail, reason: "step 3-4 returns something else than reference", found: []string{"GB716 error m.py:2"}},
		"as the reference says": {check: "replay", writer: "harness", lines: phase("eager", referenced) + output("eager", "eager", "a") + output("replay", "replay", "a"), status: finding.StatusPass},
		"wrong, and not captured": {check: "replay", writer: "harness", lines: phase("eager", referenced+`,"bad":3`) + `"ev":"error","source":"user","code":"capture_failed","text":"no","of":"step"`,
			status: finding.StatusFail, reason: "step 3-4 returns something else", found: []string{"GB716 error :1"}},
		"equal to another module": {check: "replay", writer: "harness", lines: wanted + phase("eager", other) + output("eager", "eager", "a") + output("replay", "replay", "a"),
			status: finding.StatusPass, reason: "equal to twin.py, bit for bit"},
		"near another module": {check: "replay", writer: "harness", lines: wanted + phase("eager", other+`,"rtol":0.016,"atol":1e-05`) + output("eager", "eager", "a") + output("replay", "replay", "a"),
			status: finding.StatusPass, reason: "equal to twin.py, within 0.016 relatively and 1e-05 absolutely"},
		"unlike another module": {check: "replay", writer: "harness", lines: wanted + phase("eager", other+`,"bad":2,"max_abs":0.25,"first_at":[0]`) + output("eager", "eager", "a") + output("replay", "replay", "a"),
			status: finding.StatusFail, reason: "step 3-4 returns something else than twin.py (compared bit for bit); first in step 3: out, 2 of 4 elements, by up to 0.25", found: []string{"GB716 error :1"}},
		"unlike it in ways that nobody counted": {check: "replay", writer: "harness", lines: wanted + phase("eager", other+`,"bad":-1`) + output("eager", "eager", "a") + output("replay", "replay", "a"),
			status: finding.StatusFail, reason: "some of 4 elements", found: []string{"GB716 error :1"}},
		"the other module broke": {check: "replay", writer: "harness", lines: wanted + `"ev":"phase","name":"reference","at":"enter"` + "\n" +
			`"ev":"error","source":"user","code":"exception","text":"reference twin.py: no"` + "\n" + `"ev":"phase","name":"reference","at":"exit","status":"failed"` + "\n" +
			output("eager", "eager", "a") + output("replay", "replay", "a"), status: finding.StatusError, reason: "nothing was compared with twin.py: reference twin.py: no"},
		"nothing of it has the same name": {check: "replay", writer: "harness", lines: wanted + output("eager", "eager", "a") + output("replay", "replay", "a"),
			status: finding.StatusError, reason: "nothing was compared with twin.py"},
		"its rows moved": {check: "replay", writer: "harness", lines: output("eager", "eager", "a") + phase("invariance", strings.Replace(other, "twin.py", "its rows in another order", 1)+`,"bad":2`) +
			output("replay", "replay", "a"), status: finding.StatusFail, reason: "returns something else with its rows in another order", found: []string{"GB716 error :1"}},
		"no graph to replay": {check: "replay", writer: "harness", lines: `"ev":"error","source":"user","code":"capture_failed","text":"no","of":"step"`,
			status: finding.StatusNotRun},

		"timed": {check: "speed", writer: "harness", lines: phase("speed", `"ev":"measure","name":"step_eager","unit":"us","value":4,"samples":[4,4,4]`+"\n"+
			`"ev":"measure","name":"step_replay","unit":"us","value":2,"samples":[1,2,3]`), min: &two, status: finding.StatusPass, reason: "2.00×"},
		"too slow": {check: "speed", writer: "harness", lines: phase("speed", `"ev":"measure","name":"step_eager","unit":"us","value":1,"samples":[1]`+"\n"+
			`"ev":"measure","name":"step_replay","unit":"us","value":2,"samples":[2]`), min: &one, status: finding.StatusFail},
		"not timed": {check: "speed", writer: "harness", lines: phase("speed", nothing), status: finding.StatusError},
	} {
		t.Run(name, func(t *testing.T) {
			in := run(t, tc.writer, tc.lines)
			in.Max, in.Min, in.NeedProbe = tc.max, tc.min, tc.need
			r := Check(tc.check, in)
			if r.Check.Status != tc.status || !strings.Contains(r.Check.Reason, tc.reason) {
				t.Errorf("%s: %q, want %s with %q", r.Check.Status, r.Check.Reason, tc.status, tc.reason)
			}
			var got []string
			for _, f := range r.Findings {
				got = append(got, fmt.Sprintf("%s %s %s:%d", f.Rule, f.Severity, f.Path, f.Line))
			}
			if d := cmp.Diff(tc.found, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestIncompleteIsNoVerdict(t *testing.T) {
	in := run(t, "probe", phase("sync", nothing))
	in.Trace.Files[0].Incomplete = "3 events lost"
	if r := Check(finding.CheckSync, in); r.Check.Status != finding.StatusError || !strings.Contains(r.Check.Reason, "3 events lost") {
		t.Errorf("%+v", r.Check)
	}
}

func TestMerge(t *testing.T) {
	source := finding.Finding{Rule: "GB101", Check: finding.CheckSource, Severity: finding.Error, Path: "m.py", Line: 4, EndLine: 6, Confidence: finding.Possible}
	seen := func(check string, line int, s finding.Severity) finding.Finding {
		return finding.Finding{Rule: "GB103", Check: check, Severity: s, Path: "m.py", Line: line, EndLine: line, Confidence: finding.Proven}
	}
	sees := func(rule, check string) bool { return rule == "GB101" && check != finding.CheckAlloc }
	inline, guard := source, source
	inline.Suppressed = &finding.Suppression{By: "inline", Reason: "measured"}
	guard.Suppressed = &finding.Suppression{By: "guard", Reason: "VERBOSE"}
	for name, tc := range map[string]struct {
		source  []finding.Finding
		dynamic []finding.Finding
		want    []string // rule check confidence suppressed
		status  finding.Status
	}{
		"one place":          {[]finding.Finding{source}, []finding.Finding{seen("sync", 5, finding.Error)}, []string{"GB101 source proven false"}, finding.StatusFail},
		"other place":        {[]finding.Finding{source}, []finding.Finding{seen("sync", 7, finding.Error)}, []string{"GB101 source possible false", "GB103 sync proven false"}, finding.StatusFail},
		"other matter":       {[]finding.Finding{source}, []finding.Finding{seen("alloc", 5, finding.Info)}, []string{"GB101 source possible false", "GB103 alloc proven false"}, finding.StatusFail},
		"allowed":            {[]finding.Finding{inline}, []finding.Finding{seen("sync", 5, finding.Error)}, []string{"GB101 source proven true"}, finding.StatusPass},
		"the guard was open": {[]finding.Finding{guard}, []finding.Finding{seen("sync", 5, finding.Error)}, []string{"GB101 source proven false"}, finding.StatusFail},
		"two of one check":   {nil, []finding.Finding{seen("sync", 5, finding.Error), seen("sync", 5, finding.Error)}, []string{"GB103 sync proven false", "GB103 sync proven false"}, finding.StatusFail},
	} {
		t.Run(name, func(t *testing.T) {
			r := &dynamic.Result{Check: finding.CheckResult{Status: finding.StatusFail}, Findings: tc.dynamic, ByFindings: true}
			var got []string
			for _, f := range Merge(tc.source, []*dynamic.Result{r}, sees) {
				got = append(got, fmt.Sprintf("%s %s %s %v", f.Rule, f.Check, f.Confidence, f.Suppressed != nil))
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
			if r.Check.Status != tc.status {
				t.Errorf("check: %s, want %s", r.Check.Status, tc.status)
			}
		})
	}
	two := []*dynamic.Result{{Findings: []finding.Finding{seen("sync", 5, finding.Error)}}, {Findings: []finding.Finding{seen("capture", 5, finding.Error)}}}
	if all := Merge(nil, two, sees); len(all) != 1 || all[0].Check != "sync" {
		t.Errorf("sync and capture of one line: %+v", all)
	}
}

// TestCost: what a finding costs a step is a number of its own, the wait that belongs to a copy included.
func TestCost(t *testing.T) {
	r := Check(finding.CheckSync, run(t, "probe", phase("sync", copied+"\n"+waited)))
	if len(r.Findings) != 1 || r.Findings[0].Cost == nil || *r.Findings[0].Cost != (finding.Cost{Calls: 1, Blocked: 0.03}) {
		t.Errorf("%+v", r.Findings)
	}
	source := []finding.Finding{{Rule: "GB101", Check: finding.CheckSource, Path: "m.py", Line: 5, EndLine: 5}}
	all := Merge(source, []*dynamic.Result{r}, func(string, string) bool { return true })
	if len(all) != 1 || all[0].Cost == nil || all[0].Cost.Blocked != 0.03 {
		t.Errorf("merged: %+v", all)
	}
	r = Check(finding.CheckAlloc, run(t, "probe", phase("alloc", `"ev":"measure","name":"allocs","unit":"count","value":0`+"\n"+
		`"ev":"api","name":"cudaFree","level":"runtime","class":"free","dur":9000,"code":0,`+at5)))
	if len(r.Findings) != 1 || r.Findings[0].Cost == nil || *r.Findings[0].Cost != (finding.Cost{Calls: 1, Blocked: 9}) {
		t.Errorf("%+v", r.Findings)
	}
}
