package harness

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// bare is an environment in which no launcher has said anything.
func bare(extra ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.TempDir(), "PYTHONDONTWRITEBYTECODE=1"}, extra...)
}

func python3(t *testing.T) (py, unpacked string) {
	t.Helper()
	py, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 on this machine")
	}
	dir := t.TempDir()
	if _, err := unpack(dir); err != nil {
		t.Fatal(err)
	}
	return py, filepath.Join(dir, "py")
}

// TestWhoAProcessIs: launchers say it in their own words; the nearest one counts, and a step that none of ours started is
// alone, also inside an allocation.
func TestWhoAProcessIs(t *testing.T) {
	py, dir := python3(t)
	slurm := []string{"SLURM_PROCID=5", "SLURM_NTASKS=8", "SLURM_LOCALID=1"}
	for name, tc := range map[string]struct {
		env      []string
		launched bool
		want     string // rank world local, then what the step module and the probe read
	}{
		"torchrun":                {[]string{"RANK=2", "WORLD_SIZE=4", "LOCAL_RANK=0"}, true, "2 4 0 | 2 4 0 | 2 4"},
		"Open MPI":                {[]string{"OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=4", "OMPI_COMM_WORLD_LOCAL_RANK=3"}, true, "3 4 3 | 3 4 3 | 3 4"},
		"MPICH":                   {[]string{"PMI_RANK=1", "PMI_SIZE=4", "MPI_LOCALRANKID=1"}, true, "1 4 1 | 1 4 1 | 1 4"},
		"MVAPICH":                 {[]string{"MV2_COMM_WORLD_RANK=1", "MV2_COMM_WORLD_SIZE=2", "MV2_COMM_WORLD_LOCAL_RANK=1"}, true, "1 2 1 | 1 2 1 | 1 2"},
		"srun":                    {slurm, true, "5 8 1 | 5 8 1 | 5 8"},
		"mpirun in an allocation": {append([]string{"OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=2"}, slurm...), true, "0 2 0 | 0 2 0 | 0 2"},
		"alone in an allocation":  {append([]string{"RANK=7", "WORLD_SIZE=8"}, slurm...), false, "0 1 0 | None None None | 0 0"},
		"half a word":             {[]string{"RANK=2"}, true, "step.launch: the launcher sets no rank in the environment"},
		"no number":               {[]string{"RANK=two", "WORLD_SIZE=4"}, true, "RANK and WORLD_SIZE and LOCAL_RANK are no numbers"},
		"out of range":            {[]string{"PMI_RANK=4", "PMI_SIZE=4"}, true, "PMI_RANK is 4 and PMI_SIZE is 4"},
	} {
		cmd := exec.Command(py, "-c", `import os, sys
sys.path.insert(0, sys.argv[1])
from gatebot_harness import fault, ranks
get = lambda *names: print("|", *[os.environ.get(n) for n in names], end=" ")
try:
    print(*ranks.identify(sys.argv[2] == "true"), end=" ")
    get("RANK", "WORLD_SIZE", "LOCAL_RANK")
    get("GATEBOT_RANK", "GATEBOT_WORLD")
except fault.Fault as f:
    print(f)
`, dir, fmt.Sprint(tc.launched))
		cmd.Env = bare(tc.env...)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), tc.want) {
			t.Errorf("%s: %v %q, want %q", name, err, out, tc.want)
		}
	}
}

// TestFourRanks: all of them learn who gave up, by its number, and those that a launcher gave no address share one.
func TestFourRanks(t *testing.T) {
	py, dir := python3(t)
	for name, tc := range map[string]struct{ body, want string }{
		"all well":      {"pass", "[0, 10, 20, 30] well"},
		"the third one": {"if rank == 2: raise ValueError('no')", "rank 2 gave up at step 1: ValueError: no"},
		"two of them":   {"if rank in (1, 3): raise ValueError('no')", "rank 1 gave up at step 1: ValueError: no"},
		"the last ends": {"if rank == 3: os._exit(0)", "rank 3 gave up at step 1: its process ended"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			meet := t.TempDir()
			var out [4]strings.Builder
			var cmds [4]*exec.Cmd
			for rank := range cmds {
				cmd := exec.Command(py, "-c", `import os, sys
sys.path.insert(0, sys.argv[1])
from gatebot_harness import ranks
ranks.PATIENCE = 60 # nobody hangs here, and a rank may stand still
class T:
    def emit(self, ev, **f): print(f["text"], flush=True)
rank, world, _ = ranks.identify(True)
team = ranks.Ranks(T(), sys.argv[2], rank, world)
team.address()
team.agree("the start")
print(team.vote("a number", 10 * rank), end=" ")
ports = team.vote("the port", os.environ["MASTER_PORT"])
assert len(set(ports)) == 1 and len(ports) == 4, ports
try:
    with team.together("step 1"):
        `+tc.body+`
    print("well")
except Exception as e:
    print(e)
team.done()
`, dir, meet)
				cmd.Env = bare("SLURM_NTASKS=4", fmt.Sprintf("SLURM_PROCID=%d", rank), fmt.Sprintf("SLURM_LOCALID=%d", rank))
				cmd.Stdout, cmd.Stderr = &out[rank], &out[rank]
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				cmds[rank] = cmd
			}
			for rank, cmd := range cmds {
				if err := cmd.Wait(); err != nil {
					t.Errorf("rank %d: %v: %s", rank, err, out[rank].String())
				}
			}
			if !strings.Contains(out[0].String(), tc.want) {
				t.Errorf("rank 0 says %q, want %q", out[0].String(), tc.want)
			}
		})
	}
}

// TestRankThatMetAndEnded: a rank that came to a meeting and ended between two looks at it was taken for one that gave up there,
// and one that was done between two looks for one that ended before it was.
func TestRankThatMetAndEnded(t *testing.T) {
	py, dir := python3(t)
	cmd := exec.Command(py, "-c", `import sys
sys.path.insert(0, sys.argv[1])
from gatebot_harness import ranks
class T:
    def emit(self, ev, **f): print(f["text"], flush=True)
team = ranks.Ranks(T(), sys.argv[2], 0, 2)
def ended(r):
    team.put(f"{team.n - 1}.1", {"what": "a number", "value": 7})
    return True
team.gone = ended
print(team.vote("a number", 3))
del team.gone
team.put("pid.1", 1 << 30) # no process has this number
print(team.gone(1))
read, asked = team.get, []
def get(name):
    asked.append(name)
    return asked.count(name) > 1 if name == "done.1" else read(name)
team.get = lambda name: get(name) or None
print(team.gone(1))
`, dir, t.TempDir())
	cmd.Env = bare()
	out, err := cmd.CombinedOutput()
	if want := "[3, 7]\nTrue\nFalse\n"; err != nil || string(out) != want {
		t.Errorf("%v: %q, want %q", err, out, want)
	}
}

// TestFourRanksAreRead: each has its file; the one that left none is named.
func TestFourRanksAreRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "launcher")
	body := "#!/bin/sh\nfor r in 0 1 2 3; do RANK=$r WORLD_SIZE=4 LOCAL_RANK=$r setsid \"$@\" & done\nwait\n"
	if err := os.WriteFile(name, []byte(body), 0o700); err != nil {
		t.Fatal(err)
	}
	head := `{"ev":"header","t":1,"pid":4,"schema":"gatebot.trace/v1","writer":"harness","rank":'$RANK',"world":4}`
	py := ranked(t, "[ $RANK = 2 ] && exit 5\nprintf '%s\\n' '"+head+"' '"+strings.ReplaceAll(eager, "\n", "' '")+`' '{"ev":"end","t":4,"events":3}' > "$trace"`+"\n")
	run, err := Drive(t.Context(), Request{Root: t.TempDir(), Entry: "m.py", Python: py, Launch: name})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(run.Trace.Ranks(), []int{0, 1, 3}) || len(run.Died) != 1 || run.Died[0].Rank != 2 || !strings.Contains(run.Died[0].How, "rank 2: the eager process") {
		t.Errorf("ranks %v, died %v", run.Trace.Ranks(), run.Died)
	}
}
