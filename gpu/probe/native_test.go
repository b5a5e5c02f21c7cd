package probe

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/internal/trace"
)

// built is the native probe and the pretend CUPTI, compiled once for all tests.
var built = sync.OnceValues(func() (struct{ probe, cupti string }, error) {
	var b struct{ probe, cupti string }
	dir, err := os.MkdirTemp("", "gatebot-probe-test-")
	if err != nil {
		return b, err
	}
	tempDir = dir
	b.probe, b.cupti = filepath.Join(dir, Library), filepath.Join(dir, "libcupti.so.13")
	for _, args := range [][]string{{"./build.sh", b.probe}, {"../fakecupti/build.sh", dir}} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			return b, fmt.Errorf("%s: %w\n%s", args[0], err, out)
		}
	}
	return b, nil
})

var tempDir string

func TestMain(m *testing.M) {
	code := m.Run()
	if tempDir != "" {
		_ = os.RemoveAll(tempDir)
	}
	os.Exit(code)
}

// prelude gives a Python program the pretend CUDA: L releases the GIL around calls, H keeps it.
const prelude = `
import ctypes, os, sys, threading
FAKE = os.environ["FAKE"]
L = ctypes.CDLL(FAKE, mode=ctypes.RTLD_GLOBAL)
H = ctypes.PyDLL(FAKE)
v, n = ctypes.c_void_p, ctypes.c_size_t
L.cuInit(0)
P = ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"])
def launch(k=b"_Z1kv"): L.fakeLaunch(k, 4, 128, n(16), v(0x55))
`

type outcome struct {
	code   int
	output string
	files  []string
}

// play runs a Python program under the probe.
func play(t *testing.T, program string, env ...string) outcome {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 on this machine")
	}
	return playWith(t, python, program, env...)
}

func playWith(t *testing.T, python, program string, env ...string) outcome {
	t.Helper()
	b, err := built()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "prog.py")
	if err := os.WriteFile(file, []byte(prelude+program), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var out bytes.Buffer
	code, files, err := Run(ctx, Options{Library: b.probe, Command: []string{python, file}, Dir: dir, TraceDir: dir,
		Env: append([]string{"FAKE=" + b.cupti}, env...), Output: &out})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	return outcome{code, out.String(), files}
}

// whole loads the trace of a run that has to be whole.
func (o outcome) whole(t *testing.T) *trace.Trace {
	t.Helper()
	tr := o.load(t)
	if why := tr.Incomplete(); why != "" || o.code != 0 {
		t.Fatalf("incomplete %q, code %d, output\n%s", why, o.code, o.output)
	}
	return tr
}

func (o outcome) load(t *testing.T) *trace.Trace {
	t.Helper()
	tr, err := trace.Load(o.files...)
	if err != nil {
		t.Fatalf("%v\n%s", err, o.output)
	}
	return tr
}

// apis renders api events as "name class lines-of-prog.py".
func apis(tr *trace.Trace) []string {
	var out []string
	for _, a := range trace.Of[*trace.API](tr) {
		s := a.Name + " " + string(a.Class)
		if a.Copy != nil {
			s += fmt.Sprintf(" %s %s>%s %d", a.Copy.Dir, a.Copy.Src, a.Copy.Dst, a.Copy.Bytes)
		}
		if a.Code != 0 {
			s += fmt.Sprintf(" code %d", a.Code)
		}
		for _, f := range a.Frames {
			s += " " + f.Func
		}
		out = append(out, s)
	}
	return out
}

const everyCall = `
d, h = v(), v()
buf = ctypes.create_string_buffer(64)
def héld():
    H.cudaDeviceSynchronize()
def alloc():
    L.cudaMalloc(ctypes.byref(d), n(4096))
    L.cudaHostAlloc(ctypes.byref(h), n(4096), 0)
class Model:
    def step(self):
        launch()
        L.cudaMemcpyAsync(buf, d, n(4), 2, v(1))
        L.cudaMemcpyAsync(d, h, n(8), 1, v(1))
        L.cudaMemcpyAsync(d, d, n(8), 3, v(1))
        L.cudaStreamSynchronize(v(1))
        L.cudaEventQuery(v(0x77))
        L.cudaStreamBeginCapture(v(1), 2)
        L.cuMemcpyHtoDAsync_v2(ctypes.c_uint64(d.value), h, n(3), v(0))
héld()
alloc()
Model().step()
`

// TestEveryCall: each call once, at runtime level where there is one, with the kinds of memory that the driver knows and
// the Python functions that made it, whether the GIL was held or not.
func TestEveryCall(t *testing.T) {
	pythons := []string{}
	for _, name := range []string{"python3.9", "python3.10", "python3.11", "python3.12", "python3.13", "python3.14", "python3"} {
		if path, err := exec.LookPath(name); err == nil && exec.Command(path, "-c", "").Run() == nil { // a pyenv shim may be empty
			pythons = append(pythons, path)
		}
	}
	if len(pythons) == 0 {
		t.Skip("no python3 on this machine")
	}
	for _, python := range pythons {
		t.Run(filepath.Base(python), func(t *testing.T) {
			tr := playWith(t, python, everyCall).whole(t)
			step, alloc := " Model.step <module>", " alloc <module>"
			switch v := tr.Files[0].Header.Python; {
			case v >= "3.11" && len(v) >= 5 && v[:2] == "3." && v[3] != '.':
			case strings.HasPrefix(v, "3.10"):
				step, alloc = " step <module>", ""
			default: // 3.9: frames need the GIL there, which an allocation does not wait for
				step, alloc = " step <module>", ""
			}
			query := step
			if alloc == "" {
				query = ""
			}
			want := []string{
				"cudaDeviceSynchronize sync héld <module>",
				"cudaMalloc alloc" + alloc,
				"cudaHostAlloc pin" + alloc,
				"cuModuleLoadData module" + strings.Replace(query, " ", " launch ", 1),
				"cudaMemcpyAsync copy dtoh device>pageable 4" + step,
				"cudaMemcpyAsync copy htod pinned>device 8" + step,
				"cudaMemcpyAsync copy dtod device>device 8",
				"cudaStreamSynchronize sync" + step,
				"cudaEventQuery query code 600" + query,
				"cudaStreamBeginCapture capture" + step,
				"cuMemcpyHtoDAsync copy htod pinned>device 3" + step,
			}
			if query == "" {
				want[3] = "cuModuleLoadData module"
			}
			if diff := cmp.Diff(want, apis(tr)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			ls := trace.Of[*trace.Launch](tr)
			if len(ls) != 1 || ls[0].Kernel != "_Z1kv" || ls[0].Grid != [3]uint32{4, 1, 1} || ls[0].Block != [3]uint32{128, 1, 1} ||
				ls[0].Smem != 16 || ls[0].Stream != "0x55" {
				t.Errorf("launches %+v", ls)
			}
			if ds := trace.Of[*trace.Device](tr); len(ds) != 1 || ds[0].Name != "Pretend GPU" || ds[0].CC != "9.0" {
				t.Errorf("devices %+v", ds)
			}
		})
	}
}

func TestMarksAndArming(t *testing.T) {
	tr := play(t, `
P.gatebot_phase(b"sync", 1)
P.gatebot_step(4, 1)
P.gatebot_region_enter(b"a \"quoted\" name")
L.cudaDeviceSynchronize()
P.gatebot_disarm()
L.cudaDeviceSynchronize()
P.gatebot_arm()
P.gatebot_region_exit(b"a \"quoted\" name")
P.gatebot_step(4, 0)
P.gatebot_phase(b"sync", 0)
assert P.gatebot_active() == 1
L.cudaDeviceSynchronize()
`).whole(t)
	var got []string
	for _, a := range trace.Of[*trace.API](tr) {
		got = append(got, fmt.Sprintf("%s|%d|%s", a.Phase, a.Step, a.Region))
	}
	if diff := cmp.Diff([]string{`sync|4|a "quoted" name`, "|-1|"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDisarmedFromTheStart(t *testing.T) {
	tr := play(t, "L.cudaDeviceSynchronize()\nP.gatebot_arm()\nL.cudaEventQuery(v(1))\n", "GATEBOT_ARM=0").whole(t)
	if got := trace.Of[*trace.API](tr); len(got) != 1 || got[0].Name != "cudaEventQuery" {
		t.Errorf("got %v", apis(tr))
	}
}

// TestThreads: what threads do is in the trace whether they live on or not, and no line is torn.
func TestThreads(t *testing.T) {
	tr := play(t, `
def work():
    for _ in range(400):
        launch()
        L.cudaStreamSynchronize(v(1))
ts = [threading.Thread(target=work) for _ in range(8)]
[x.start() for x in ts]
[x.join() for x in ts]
begun = threading.Event()
alive = threading.Thread(target=lambda: (launch(), begun.set(), threading.Event().wait()), daemon=True)
alive.start()
begun.wait()
`).whole(t)
	if n := len(trace.Of[*trace.Launch](tr)); n != 8*400+1 {
		t.Errorf("%d launches", n)
	}
	tids := map[int]bool{}
	for _, a := range trace.Of[*trace.API](tr) {
		if a.Class == trace.ClassSync {
			tids[a.TID] = true
		}
	}
	if len(tids) < 1 {
		t.Error("no thread has a number")
	}
}

// TestFork: a child that uses CUDA has a file of its own that names its parent; one that does not leaves none; the
// parent's file is whole and has nothing of the child's.
func TestFork(t *testing.T) {
	out := play(t, `
launch()
if os.fork() == 0:
    L.cudaDeviceSynchronize()
    sys.exit(0)
if os.fork() == 0:
    os._exit(0)
os.wait(), os.wait()
L.cudaEventQuery(v(1))
`)
	tr := out.whole(t)
	if len(tr.Files) != 2 {
		t.Fatalf("%d files\n%s", len(tr.Files), out.output)
	}
	i := slices.IndexFunc(tr.Files, func(f trace.File) bool { return f.Header.Parent != 0 })
	if i < 0 || tr.Files[i].Header.Parent != tr.Files[1-i].Header.PID {
		t.Fatalf("no child of the parent: %+v", tr.Files)
	}
	for _, a := range trace.Of[*trace.API](tr) {
		if a.Class != trace.ClassModule && (a.Source == i) != (a.Name == "cudaDeviceSynchronize") {
			t.Errorf("%s in file %d", a.Name, a.Source)
		}
	}
}

// TestNoEnd: a process that ends without saying so has no verdict.
func TestNoEnd(t *testing.T) {
	for name, end := range map[string]string{"os._exit": "os._exit(0)", "killed": "os.kill(os.getpid(), 9)", "abort": "os.abort()"} {
		t.Run(name, func(t *testing.T) {
			out := play(t, "launch()\nP.gatebot_flush()\nlaunch()\n"+end+"\n")
			if why := out.load(t).Incomplete(); !strings.Contains(why, "no end event") {
				t.Errorf("Incomplete() = %q", why)
			}
		})
	}
}

// TestExec: a process that replaces itself keeps the first one's record beside its own, and the first has no end.
func TestExec(t *testing.T) {
	out := play(t, `
launch()
P.gatebot_flush()
if len(sys.argv) < 2: os.execv(sys.executable, [sys.executable, __file__, "again"])
`)
	if len(out.files) != 2 || !strings.Contains(out.load(t).Incomplete(), "no end event") {
		t.Errorf("files %v, %q", out.files, out.load(t).Incomplete())
	}
}

// TestTrouble: whatever keeps the probe from recording is one error event and one line on stderr, and the program runs on.
func TestTrouble(t *testing.T) {
	for name, tc := range map[string]struct {
		program string
		env     []string
		code    string
	}{
		"the slot is taken": {"launch()\nprint('still here')\n", []string{"FAKECUPTI_TAKEN=1"}, "slot_taken"},
		"no libcupti":       {"launch()\nprint('still here')\n", []string{"GATEBOT_CUPTI=/nowhere/libcupti.so"}, "no_cupti"},
		"the disk is full": {`
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (600000, 600000))
for _ in range(20000): launch(b"_Z" + b"k" * 200)
print('still here')
`, nil, "disk_full"},
		"over its own limit": {"for _ in range(20000): launch(b'_Z' + b'k' * 200)\nprint('still here')\n", []string{"GATEBOT_TRACE_LIMIT=600000"}, "disk_full"},
	} {
		t.Run(name, func(t *testing.T) {
			out := play(t, tc.program, tc.env...)
			if out.code != 0 || !strings.Contains(out.output, "still here") || strings.Count(out.output, "gatebot-probe:") != 1 {
				t.Errorf("code %d, output\n%s", out.code, out.output)
			}
			tr := out.load(t)
			es := tr.Errors()
			if len(es) != 1 || es[0].Code != tc.code || es[0].Text == "" {
				t.Errorf("errors %+v", es)
			}
			if lost := strings.Contains(tr.Incomplete(), "lost"); lost != (tc.code == "disk_full") {
				t.Errorf("Incomplete() = %q", tr.Incomplete())
			}
		})
	}
}

func TestNowhereToWrite(t *testing.T) {
	out := play(t, "launch()\nprint('still here')\n", "GATEBOT_TRACE=/nowhere/at/all")
	if out.code != 0 || !strings.Contains(out.output, "still here") || !strings.Contains(out.output, "gatebot-probe: /nowhere/at/all") || len(out.files) != 0 {
		t.Errorf("code %d, files %v, output\n%s", out.code, out.files, out.output)
	}
}

const functions = `
import functools
def plain(fail=False):
    L.cudaDeviceSynchronize()
    if fail: raise KeyError("x")
alias = plain
def decorated(f):
    @functools.wraps(f)
    def w(*a, **k): return f(*a, **k)
    return w
class M:
    @decorated
    def step(self): L.cudaDeviceSynchronize()
    @staticmethod
    def free(): L.cudaDeviceSynchronize()
    def other(self): L.cudaDeviceSynchronize()
m = M()
plain(); m.step(); M.free(); m.other()
try: plain(fail=True)
except KeyError: pass
L.cudaDeviceSynchronize()
`

// TestRegionFunc: functions of the program are regions by their names, however they are left.
func TestRegionFunc(t *testing.T) {
	tr := play(t, functions, "GATEBOT_REGION_FUNC=__main__:plain\n__main__:M.step\n__main__:M.free").whole(t)
	var got []string
	for _, a := range trace.Of[*trace.API](tr) {
		got = append(got, a.Region)
	}
	if diff := cmp.Diff([]string{"__main__:plain", "__main__:M.step", "__main__:M.free", "", "__main__:plain", ""}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// nvtx is the client side of NVTX: the table of function slots that an injected library fills.
const nvtx = `
C = ctypes
slot_t = C.c_void_p
core = [slot_t() for _ in range(16)]
core2 = [slot_t() for _ in range(16)]
tables = {1: (C.POINTER(slot_t) * 16)(*[C.pointer(s) for s in core]), 5: (C.POINTER(slot_t) * 16)(*[C.pointer(s) for s in core2])}
@C.CFUNCTYPE(C.c_int, C.c_int, C.POINTER(C.c_void_p), C.POINTER(C.c_uint))
def table(module, out, size):
    if module not in tables: return 0
    out[0] = C.addressof(tables[module]); size[0] = 16
    return 1
class Callbacks(C.Structure): _fields_ = [("size", C.c_size_t), ("table", C.c_void_p)]
callbacks = Callbacks(C.sizeof(Callbacks), C.cast(table, C.c_void_p))
@C.CFUNCTYPE(C.c_void_p, C.c_uint32)
def get_table(which): return C.addressof(callbacks) if which == 1 else None
assert P.InitializeInjectionNvtx2(get_table) == 1
class Attributes(C.Structure):
    _fields_ = [("version", C.c_uint16), ("size", C.c_uint16), ("category", C.c_uint32), ("ct", C.c_int32), ("color", C.c_uint32),
                ("pt", C.c_int32), ("r", C.c_int32), ("payload", C.c_uint64), ("mt", C.c_int32), ("message", C.c_char_p)]
push = C.CFUNCTYPE(C.c_int, C.c_char_p)(core[9].value)
pop = C.CFUNCTYPE(C.c_int)(core[11].value)
push_ex = C.CFUNCTYPE(C.c_int, C.c_void_p, C.POINTER(Attributes))(core2[4].value)
pop2 = C.CFUNCTYPE(C.c_int, C.c_void_p)(core2[5].value)
assert pop() < 0
push(b"outer")
a = Attributes(mt=1, message=b"inner")
push_ex(None, C.byref(a))
L.cudaDeviceSynchronize()
pop2(None)
L.cudaDeviceSynchronize()
pop()
L.cudaDeviceSynchronize()
for i in range(200): push(b"deep")
for i in range(200): pop()
L.cudaDeviceSynchronize()
`

func TestNVTX(t *testing.T) {
	tr := play(t, nvtx).whole(t)
	var got []string
	for _, a := range trace.Of[*trace.API](tr) {
		got = append(got, a.Region)
	}
	if diff := cmp.Diff([]string{"inner", "outer", "", ""}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestManyNames: more kernels than a thread's table holds, and one that is longer than it takes, keep their names.
func TestManyNames(t *testing.T) {
	tr := play(t, `
keep = []
for r in range(2):
    for i in range(1500):
        if r == 0: keep.append(ctypes.create_string_buffer(b"_Zkernel%d" % i))
        launch(keep[i])
launch(b"_Z" + b"x" * 3000)
`).whole(t)
	ls := trace.Of[*trace.Launch](tr)
	if len(ls) != 3001 {
		t.Fatalf("%d launches", len(ls))
	}
	for i, l := range ls[:3000] {
		if want := fmt.Sprintf("_Zkernel%d", i%1500); l.Kernel != want {
			t.Fatalf("launch %d is %q, want %q", i, l.Kernel, want)
		}
	}
	if len(ls[3000].Kernel) != 3002 {
		t.Errorf("the long name has %d bytes", len(ls[3000].Kernel))
	}
}
