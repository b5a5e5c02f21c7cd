package trial

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// pretend runs cases in the torch of testdata.
func pretend(t *testing.T, o Options, cases ...Case) (Torch, []Result, error) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3")
	}
	dir, err := filepath.Abs("testdata/pretend")
	if err != nil {
		t.Fatal(err)
	}
	o.Env = append(o.Env, "PYTHONPATH="+dir)
	return Run(context.Background(), o, cases)
}

func TestRun(t *testing.T) {
	const setup = "x, out = torch.zeros(2), torch.zeros(2)"
	const prepare = "x.values[:] = [i + 1.0, i + 2.0]"
	torch, got, err := pretend(t, Options{Jobs: 3, Each: 2 * time.Minute},
		Case{Name: "clean", Setup: setup, Prepare: prepare, Call: "x.mul(2.0, out)", Out: "out"},
		Case{Name: "frozen", Setup: setup, Prepare: prepare, Call: "x.mul(float(i), out)", Out: "out"},
		Case{Name: "fresh", Fresh: true, Setup: setup, Call: "import sys; sys.argv.count('fresh') == 1 or 1 / 0; x.item()"},
		Case{Name: "item", Setup: setup, Call: "x.item(); x.item()"},
		Case{Name: "raises", Call: "no_such_name"},
		Case{Name: "takes i", Setup: "i = torch.zeros(2)", Call: "i.item()"},
		Case{Name: "prints", Call: "print('x' * 1000000)"},
		Case{Name: "leaves", Call: "import os; os._exit(7)"},
		Case{Name: "kills itself", Call: "import os; os.kill(os.getpid(), 11)"},
	)
	if err != nil {
		t.Fatal(err)
	}
	_, late, err := pretend(t, Options{Jobs: 1, Each: 2 * time.Second}, Case{Name: "hangs", Call: "import time; time.sleep(600)"})
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, late...)
	if torch.Version != "9.9.9+pretend" || torch.CUDA != "13.0" || torch.Python == "" {
		t.Errorf("torch %+v", torch)
	}
	const unseen = "the probe was not loaded"
	want := []Result{
		{Name: "clean", Replay: []bool{true, true, true, true}},
		{Name: "frozen", Replay: []bool{false, false, false, false}},
		{Name: "fresh", Warned: 1, Capture: "RuntimeError: CUDA error: operation not permitted when stream is capturing"},
		{Name: "item", Warned: 2, Capture: "RuntimeError: CUDA error: operation not permitted when stream is capturing"},
		{Name: "raises", Eager: "NameError: name 'no_such_name' is not defined"},
		{Name: "takes i", Eager: "NameError: the set-up gives i another meaning: it is the number of the step (take another name)"},
		{Name: "prints"},
		{Name: "leaves", Died: "exit code 7"},
		{Name: "kills itself", Died: "signal 11"},
		{Name: "hangs", Died: "took too long"},
	}
	for i := range got {
		got[i].Unseen = strings.TrimPrefix(got[i].Unseen, unseen)
		if dev := got[i].Device; got[i].Died == "" && dev != "Pretend GPU" || got[i].PID == 0 {
			t.Errorf("%s: device %q, pid %d", got[i].Name, dev, got[i].PID)
		}
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(Result{}, "PID", "Device")); d != "" {
		t.Error(d)
	}
}

func TestNothingToMeasure(t *testing.T) {
	c := Case{Name: "a", Call: "pass"}
	for _, tt := range []struct {
		name    string
		o       Options
		noTorch bool
		says    string
	}{
		{"torch without CUDA", Options{Env: []string{"PRETEND_CUDA="}}, true, "built without CUDA"},
		{"torch that does not load", Options{Env: []string{"PRETEND_BROKEN=1"}}, true, "ImportError: libcublas.so.13"},
		{"no interpreter", Options{Python: "/no/python"}, false, "/no/python"},
		{"no Python", Options{Python: "true"}, false, "wrote no results"},
		{"interpreter that fails", Options{Python: "false"}, false, "code 1"},
		{"probe that was not loaded", Options{Probe: "/no/gatebot-probe.so"}, false, "code 1"},
	} {
		_, r, err := pretend(t, tt.o, c)
		if tt.name == "probe that was not loaded" {
			if err != nil || r[0].Died != "exit code 1" {
				t.Errorf("%s: %+v, %v", tt.name, r, err)
			}
			continue
		}
		if err == nil || errors.Is(err, ErrNoTorch) != tt.noTorch || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.says)
		}
	}
}

func TestTwoCasesOfOneName(t *testing.T) {
	_, _, err := Run(context.Background(), Options{}, []Case{{Name: "a", Call: "1"}, {Name: "a", Call: "2"}})
	if err == nil || !strings.Contains(err.Error(), `"a" is there twice`) {
		t.Error(err)
	}
}

// Results that are not whole are no results.
func TestReadRefuses(t *testing.T) {
	const head = `{"torch":"2.11","cuda":"13.0","python":"3.12.3"}` + "\n"
	cases := []Case{{Name: "a", Call: "1"}}
	for _, tt := range []struct{ text, says string }{
		{"", "no results"},
		{"x\n", "line 1"},
		{head, "a has none"},
		{head + "{", "line 2"},
		{head + `{"name":"a"}` + "\n" + `{"name":"a"}`, "line 3: a is there twice"},
	} {
		name := filepath.Join(t.TempDir(), "results")
		if err := os.WriteFile(name, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := read(name, cases); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.says)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"torch":"2.11","cuda":"13.0","python":"3.12.3"}` + "\n" + `{"name":"a","pid":1,"nodes":["kernel"]}` + "\n")
	f.Add(`{"missing":"x"}`)
	f.Fuzz(func(t *testing.T, text string) {
		name := filepath.Join(t.TempDir(), "results")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, got, err := read(name, []Case{{Name: "a", Call: "1"}})
		if err == nil && (len(got) != 1 || got[0].Name != "a") {
			t.Errorf("%+v", got)
		}
	})
}
