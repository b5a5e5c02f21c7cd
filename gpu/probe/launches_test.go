package probe

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/trace"
)

// TestManyLaunches: more launches than a thread keeps, from several threads at once and across a fork, are all written,
// each with its kernel, inside the step that made it.
func TestManyLaunches(t *testing.T) {
	tr := play(t, `
def work(k):
    for i in range(5000):
        launch(b"kernel_%d_%d" % (k, i % 40))
P.gatebot_step(7, 1)
ts = [threading.Thread(target=work, args=(k,)) for k in range(3)]
for t in ts: t.start()
for t in ts: t.join()
P.gatebot_step(7, 0)
P.gatebot_disarm()
launch(b"unseen")
P.gatebot_arm()
if os.fork() == 0:
    for i in range(3): launch(b"child_%d" % i)
    P.gatebot_end()
    os._exit(0)
os.wait()
for i in range(3): launch(b"kernel_0_0")
`).whole(t)
	got := map[string]int{}
	outside := 0
	for _, l := range trace.Of[*trace.Launch](tr) {
		name, _, _ := strings.Cut(l.Kernel, "_")
		if got[name]++; name == "kernel" && l.Step != 7 {
			outside++
		}
		if l.Grid != [3]uint32{4, 1, 1} || l.Block != [3]uint32{128, 1, 1} || l.Smem != 16 || l.Stream != "0x55" || l.Dur < 0 {
			t.Fatalf("%+v", l)
		}
	}
	if got["kernel"] != 15003 || got["child"] != 3 || got["unseen"] != 0 || outside != 3 {
		t.Errorf("%v, %d outside of the step", got, outside)
	}
}

// TestLaunchFrames: stacks of launches can be switched on and off in a run.
func TestLaunchFrames(t *testing.T) {
	tr := play(t, `
def step(): launch()
step()
P.gatebot_launch_frames(1)
step()
P.gatebot_launch_frames(0)
step()
`).whole(t)
	var got []int
	for _, l := range trace.Of[*trace.Launch](tr) {
		got = append(got, len(l.Frames))
		if l.Kernel != "_Z1kv" {
			t.Errorf("kernel %q", l.Kernel)
		}
	}
	if fmt.Sprint(got) != "[0 3 0]" {
		t.Errorf("frames %v", got)
	}
}

// TestBrief: in brief, launches and what only the device does are left out, and waits are not.
func TestBrief(t *testing.T) {
	tr := play(t, `
launch()
P.gatebot_brief(1)
launch()
L.cudaStreamSynchronize(v(1))
P.gatebot_brief(0)
launch()
`).whole(t)
	if n, w := len(trace.Of[*trace.Launch](tr)), len(trace.Of[*trace.API](tr)); n != 2 || w == 0 {
		t.Errorf("%d launches and %d calls of the wait, want 2 and some", n, w)
	}
}

// TestDisabledDetector: a probe that is told not to see says so in the trace, where no verdict can pass it by.
func TestDisabledDetector(t *testing.T) {
	const program = "launch()\nL.cudaStreamSynchronize(v(1))\nL.cudaEventQuery(v(1))\n"
	for _, tc := range []struct {
		env     string
		apis    int
		errors  int
		message string
	}{
		{"", 3, 0, ""}, // the module of the kernel, too
		{"torch,probe.sync", 2, 1, "a part of the probe"},
		{"probe.query, probe.sync", 1, 2, "a part of the probe"},
		{"probe", 0, 1, "switches the probe off"},
		{"probe.synchronous", 3, 0, ""},
	} {
		tr := play(t, program, "GATEBOT_DISABLE_DETECTOR="+tc.env).whole(t)
		if n := len(trace.Of[*trace.API](tr)); n != tc.apis {
			t.Errorf("%q: %d calls, want %d: %v", tc.env, n, tc.apis, apis(tr))
		}
		if n := len(tr.Errors()); n != tc.errors {
			t.Errorf("%q: %d errors", tc.env, n)
		}
		for _, e := range tr.Errors() {
			if e.Code != "detector_disabled" || !strings.Contains(e.Text, tc.message) {
				t.Errorf("%q: %+v", tc.env, e)
			}
		}
	}
}

// BenchmarkLaunch measures what the probe itself adds to a launch, without CUPTI and the driver around it.
func BenchmarkLaunch(b *testing.B) {
	built, err := built()
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	program := filepath.Join(dir, "bench")
	for _, args := range [][]string{{"-O2", "-rdynamic", "-o", program, "testdata/bench.c", "-ldl"},
		{"-O2", "-shared", "-fPIC", "-o", program + ".so", "testdata/bench.c"}} {
		if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
	for range b.N {
		cmd := exec.Command(program, built.probe)
		cmd.Env = append(os.Environ(), "GATEBOT_TRACE="+filepath.Join(dir, "trace"), "GATEBOT_CUPTI="+program+".so")
		out, err := cmd.CombinedOutput()
		if err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		var ns float64
		if _, err := fmt.Sscanf(string(out), "%f", &ns); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		b.ReportMetric(ns, "ns/launch")
	}
}

// TestHostReads: a framework that waits for the device on threads of its own, seen where its arrays are read.
func TestHostReads(t *testing.T) {
	o := play(t, `
import types
jax = types.ModuleType("jax._src.array")
exec(compile('''
class ArrayImpl:
    @property
    def _value(self):
        return self.inner()
    def inner(self): return 1.5
    def __float__(self): return self._value
''', "/v/site-packages/jax/_src/array.py", "exec"), jax.__dict__)
class Other:
    def _value(self): pass
x = jax.ArrayImpl()
def decode():
    launch()
    return float(x)
Other()._value()
for _ in range(2): decode()
if not hasattr(sys, "monitoring"): print("too old")
`, "GATEBOT_REGION_FUNC=__main__:decode", "GATEBOT_HOST_READS=1")
	tr := o.whole(t)
	var got []string
	for _, a := range trace.Of[*trace.API](tr) {
		if a.Class == trace.ClassSync {
			line := ""
			for _, f := range a.Frames {
				if strings.HasSuffix(f.File, "prog.py") && line == "" {
					line = f.Func
				}
			}
			got = append(got, a.Name+" "+line+" "+a.Region)
		}
	}
	want := "[jax.Array read on the host decode __main__:decode jax.Array read on the host decode __main__:decode]"
	if strings.Contains(o.output, "too old") {
		want = "[]" // before Python 3.12 they are not seen
	}
	if fmt.Sprint(got) != want {
		t.Errorf("%v, want %s\n%s", got, want, o.output)
	}
}
