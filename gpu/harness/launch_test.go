package harness

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// launcher starts what it is given once for each of two ranks, each in a session of its own, as torchrun does.
func launcher(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "launcher")
	body := "#!/bin/sh\nfor r in 0 1; do RANK=$r WORLD_SIZE=2 LOCAL_RANK=$r setsid \"$@\" & done\nwait\n"
	if err := os.WriteFile(name, []byte(body), 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

// ranked is an interpreter whose files are those of the rank that it is started as.
func ranked(t *testing.T, body string) string {
	t.Helper()
	return script(t, "trace=$(echo \"$trace\" | sed \"s/%r/$RANK/\")\n"+body)
}

func rankHeader(rank string) string {
	return `{"ev":"header","t":1,"pid":4,"schema":"gatebot.trace/v1","writer":"harness","rank":` + rank + `,"world":2}`
}

func TestEveryRankIsRead(t *testing.T) {
	end := `{"ev":"end","t":4,"events":3}`
	bad := `{"ev":"error","t":5,"source":"user","code":"capture_failed","text":"no","of":"a"}`
	log := filepath.Join(t.TempDir(), "log")
	py := ranked(t, "sed 's/.*\"skip\":\\(\\[[^]]*\\]\\).*/\\1/' \"$3\" >> "+log+"\ncase \"$(cat \"$3\")\" in\n"+
		`*'"mode":"eager"'*)`+"\n"+strings.Replace(write(rankHeader("'$RANK'"), eager, end), "<<'END'", "<<END", 1)+";;\n"+
		`*'"skip":[]'*) if [ $RANK = 1 ]; then`+"\n"+write(rankHeader("1"), bad, `{"ev":"end","t":6,"events":2}`)+"else\n"+
		write(rankHeader("0"), `{"ev":"end","t":6,"events":1}`)+"fi ;;\n*)\n"+
		strings.Replace(write(rankHeader("'$RANK'"), `{"ev":"end","t":6,"events":1}`), "<<'END'", "<<END", 1)+";;\nesac\n")
	// A here-document without quotes takes the rank; the quotes around it are not wanted there.
	data, err := os.ReadFile(py)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(py, []byte(strings.ReplaceAll(string(data), "'$RANK'", "$RANK")), 0o700); err != nil {
		t.Fatal(err)
	}
	run, err := Drive(t.Context(), Request{Root: t.TempDir(), Entry: "m.py", Python: py, Launch: launcher(t)})
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Died) > 0 || len(run.Trace.Files) != 6 || !slices.Equal(run.Trace.Ranks(), []int{0, 1}) {
		t.Errorf("died %v, %d files of ranks %v", run.Died, len(run.Trace.Files), run.Trace.Ranks())
	}
	got, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(string(got), "[][]"+`["a"]["a"]`) { // sed keeps the missing newline
		t.Errorf("skipped %q: what one rank cannot capture is left out by all", got)
	}
}

func TestRankThatRecordsNothing(t *testing.T) {
	py := ranked(t, "[ $RANK = 1 ] && exit 3\n"+write(rankHeader("0"), eager, `{"ev":"end","t":4,"events":3}`))
	run, err := Drive(t.Context(), Request{Root: t.TempDir(), Entry: "m.py", Python: py, Launch: launcher(t)})
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Died) != 1 || run.Died[0].Rank != 1 || !strings.Contains(run.Died[0].How, "rank 1: the eager process of the harness recorded nothing") {
		t.Errorf("died %v", run.Died)
	}
}

func TestTimeEndsEveryRank(t *testing.T) {
	over := errors.New("time is up")
	dir := t.TempDir()
	ranks := []string{filepath.Join(dir, "0"), filepath.Join(dir, "1")}
	py := ranked(t, "echo $$ > "+dir+"/$RANK\nsleep 600\n")
	if _, err := Drive(endedOnce(t, over, ranks...), Request{Root: t.TempDir(), Entry: "m.py", Python: py, Launch: launcher(t)}); !errors.Is(err, over) {
		t.Errorf("error %v", err)
	}
	for _, rank := range ranks {
		gone(t, rank)
	}
}

func TestCommand(t *testing.T) {
	for _, tc := range []struct{ launch, python, want, env string }{
		{"", "", "python3 -u S C", ""},
		{"", "/v/python", "/v/python -u S C", ""},
		{"torchrun --nproc-per-node 2", "", "torchrun --nproc-per-node 2 S C", "PET_STANDALONE=1"},
		{"torchrun --nproc-per-node 2", "/v/python", "/v/python -m torch.distributed.run --nproc-per-node 2 S C", "PET_STANDALONE=1"},
		{"torchrun --nproc_per_node=2 --master_port=4000", "", "torchrun --nproc_per_node=2 --master_port=4000 S C", ""},
		{"/v/python -m torch.distributed.run --nproc-per-node 2", "", "/v/python -m torch.distributed.run --nproc-per-node 2 S C", "PET_STANDALONE=1"},
		{"mpirun -np 2", "/v/python", "mpirun -np 2 /v/python -u S C", ""},
	} {
		words, err := words(tc.launch)
		if err != nil {
			t.Fatal(err)
		}
		d := &driver{Request: Request{Python: tc.python, Launch: tc.launch}, launcher: words, script: "S"}
		if got := strings.Join(d.command("C"), " "); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.launch, got, tc.want)
		}
		if got := slices.Contains(d.launchEnv(), "PET_STANDALONE=1"); got != (tc.env != "") {
			t.Errorf("%q: environment %q", tc.launch, d.launchEnv())
		}
	}
}

// TestRanksMeet runs the Python side of the agreement, which needs no torch, in processes of their own.
func TestRanksMeet(t *testing.T) {
	py, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 on this machine")
	}
	dir := t.TempDir()
	if _, err := unpack(dir); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ zero, one, want0, want1 string }{
		"both well":            {"pass", "pass", "well", "well"},
		"one raises":           {"pass", "raise ValueError('no')", "rank 1 gave up at step 1: ValueError: no", "ValueError no"},
		"both raise":           {"raise ValueError('a')", "raise ValueError('b')", "ValueError a", "ValueError b"},
		"one ends":             {"pass", "os._exit(0)", "rank 1 gave up at step 1: its process ended", ""},
		"one waits for it":     {"time.sleep(600)", "raise ValueError('no')", "this rank waits for it after", "ValueError no"},
		"they are not at one":  {"pass", "team.agree('elsewhere')", "rank 0 is at step 1 and rank 1 at elsewhere", "rank 1 is at elsewhere and rank 0 at step 1"},
		"a vote":               {"print(team.vote('x', 1))", "print(team.vote('x', 2))", "[1, 2]\nwell", "[1, 2]\nwell"},
		"the launcher says so": {"os.kill(os.getpid(), 15)", "pass", "well", "well"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			meet := t.TempDir()
			patience := "60" // a rank may stand still
			if strings.Contains(tc.want0, "waits") {
				patience = "0.5"
			}
			program := func(body string) string {
				return `import os, sys, time
sys.path.insert(0, sys.argv[1])
from gatebot_harness import out, ranks
ranks.PATIENCE = ` + patience + `
class T:
    def emit(self, ev, **f): print(f["text"], flush=True)
rank, world, _ = ranks.identify(True)
team = ranks.Ranks(T(), sys.argv[2], rank, world)
team.agree("the start")
try:
    with team.together("step 1"):
        ` + body + `
    print("well")
except Exception as e:
    print(type(e).__name__ if isinstance(e, ValueError) else "", e)
team.done()
`
			}
			var out [2]strings.Builder
			var cmds [2]*exec.Cmd
			for rank, body := range []string{tc.zero, tc.one} {
				cmd := exec.Command(py, "-c", program(body), filepath.Join(dir, "py"), meet)
				cmd.Env = append(os.Environ(), "WORLD_SIZE=2", "RANK="+[]string{"0", "1"}[rank], "PYTHONDONTWRITEBYTECODE=1")
				cmd.Stdout, cmd.Stderr = &out[rank], &out[rank]
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				cmds[rank] = cmd
			}
			for rank, want := range []string{tc.want0, tc.want1} {
				if err := cmds[rank].Wait(); err != nil {
					t.Errorf("rank %d: %v", rank, err)
				}
				if got := strings.TrimSpace(out[rank].String()); !strings.Contains(got, want) || want == "" && got != "" {
					t.Errorf("rank %d: %q, want %q", rank, got, want)
				}
			}
		})
	}
}
