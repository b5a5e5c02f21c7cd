package harness

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// TestArmingNests: a capture in the middle of a step whose waits are recorded is recorded for itself, and what the harness
// does around it is not recorded at all; afterwards the step's recording goes on as it was.
func TestArmingNests(t *testing.T) {
	py, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 on this machine")
	}
	dir := t.TempDir()
	if _, err := unpack(dir); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(py, "-c", `import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from gatebot_harness import probe
log = []
class Lib:
    def gatebot_arm(self): log.append("arm")
    def gatebot_disarm(self): log.append("off")
    def gatebot_brief(self, on): log.append("brief" if on else "full")
    def gatebot_launch_frames(self, on): pass
one, two = probe.Probe(), probe.Probe()
one.lib = two.lib = Lib()
with one.armed(brief=True):
    log.append("step")
    with two.paused():
        log.append("wait")
        try:
            with two.armed():
                log.append("capture")
                raise ValueError
        except ValueError:
            pass
        log.append("count")
    log.append("rest")
    with two.paused():
        pass
log.append("end")
with one.paused():
    pass
print(" ".join(log), end="")
`, filepath.Join(dir, "py")).CombinedOutput()
	want := "brief arm step off wait full arm capture off count brief arm rest off brief arm off end"
	if err != nil || string(out) != want {
		t.Errorf("%v %q, want %q", err, out, want)
	}
}
