package probe

import (
	"path/filepath"
	"testing"

	"github.com/gatebot/gatebot/checks/calls"
	"github.com/gatebot/gatebot/internal/finding"
)

// TestEagerIsOneRun: the package's eager part splits a region and is no second run of it. What only the first of two runs
// does behind the eager part is start-up, with --warmup 1 as by default; a wait inside the eager part is nobody's.
func TestEagerIsOneRun(t *testing.T) {
	src, err := filepath.Abs("../../python/src")
	if err != nil {
		t.Fatal(err)
	}
	tr := play(t, `
sys.path.insert(0, "`+src+`")
import gatebot
assert gatebot.active()
for i in range(2):
    with gatebot.region("step"):
        with gatebot.eager():
            L.cudaDeviceSynchronize()
        if i == 0:
            L.cudaStreamSynchronize(v(0x55))
`).whole(t)
	r := calls.Judge(tr, calls.Scope{Root: filepath.Dir(src), Regions: []string{"step"}, Warmup: 1})
	if r.Entered["step"] != 2 {
		t.Errorf("entered %d times, want 2", r.Entered["step"])
	}
	if len(r.Findings) != 1 || r.Findings[0].Severity != finding.Info || r.Calls != 1 {
		t.Errorf("want the one wait of the first run, as start-up: %+v", r.Findings)
	}
}
