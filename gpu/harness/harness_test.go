package harness

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// script is an interpreter that is a shell script: it gets "-u run.py CONFIG.json".
func script(t *testing.T, body string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "python")
	head := "#!/bin/sh\ntrace=$(sed 's/.*\"trace\":\"\\([^\"]*\\)\".*/\\1/' \"$3\")\n"
	if err := os.WriteFile(name, []byte(head+body), 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

const (
	header = `{"ev":"header","t":1,"pid":4,"schema":"gatebot.trace/v1","writer":"harness"}`
	eager  = `{"ev":"phase","t":2,"name":"eager","at":"enter"}` + "\n" + `{"ev":"phase","t":3,"name":"eager","at":"exit","status":"ok"}`
)

func write(lines ...string) string {
	return "cat > \"$trace\" <<'END'\n" + strings.Join(lines, "\n") + "\nEND\n"
}

func TestEachRegionThatFailsIsLeftOutOfTheNextTry(t *testing.T) {
	// The capture process fails on region a, then on b, then on none.
	failing := func(name string) string {
		return write(header, `{"ev":"error","t":5,"source":"user","code":"capture_failed","text":"no","of":"`+name+`"}`, `{"ev":"end","t":6,"events":2}`)
	}
	log := filepath.Join(t.TempDir(), "log")
	py := script(t, "sed 's/.*\"skip\":\\(\\[[^]]*\\]\\).*/\\1/' \"$3\" >> "+log+"\ncase \"$(cat \"$3\")\" in\n"+
		`*'"mode":"eager"'*)`+"\n"+write(header, eager, `{"ev":"end","t":4,"events":3}`)+";;\n"+
		`*'"skip":[]'*)`+"\n"+failing("a")+";;\n"+`*'"skip":["a"]'*)`+"\n"+failing("b")+";;\n*)\n"+write(header, `{"ev":"end","t":4,"events":1}`)+";;\nesac\n")
	run, err := Drive(t.Context(), Request{Root: t.TempDir(), Entry: "m.py", Python: py})
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if want := `[][]["a"]["a","b"]`; string(got) != want {
		t.Errorf("skipped %q, want %q", got, want)
	}
	if len(run.Died) > 0 || len(run.Trace.Files) != 4 {
		t.Errorf("died %v, %d files", run.Died, len(run.Trace.Files))
	}
}

func TestDeathIsTold(t *testing.T) {
	step := `{"ev":"phase","t":2,"name":"sync","at":"enter"}` + "\n" + `{"ev":"step","t":3,"at":"enter","i":5}`
	for name, tc := range map[string]struct{ body, want string }{
		"exits":  {write(header, step) + "echo last words\nexit 9\n", "in phase sync at step 5: the step module's process ended before its time (exit code 9; does it call os._exit?); it last printed \"last words\""},
		"killed": {write(header, step) + "kill -9 $$\n", "signal killed, out of host memory?"},
		"silent": {"exit 0\n", "recorded nothing"},
		"cut":    {"printf '%s\\n{\"ev\":' '" + header + "' > \"$trace\"\n", "ended before its time"},
		"forged": {write(header, `{"ev":"verdict","pass":true}`), "not readable"},
	} {
		t.Run(name, func(t *testing.T) {
			run, err := Drive(t.Context(), Request{Root: t.TempDir(), Entry: "m.py", Python: script(t, tc.body)})
			if err != nil {
				t.Fatal(err)
			}
			if len(run.Died) != 1 || !strings.Contains(run.Died[0].How, tc.want) {
				t.Errorf("died %v, want %q", run.Died, tc.want)
			}
		})
	}
}

func TestTimeEndsTheGroup(t *testing.T) {
	over := errors.New("time is up")
	child := filepath.Join(t.TempDir(), "child")
	py := script(t, "sleep 600 &\necho $! > "+child+"\nsleep 600\n")
	if _, err := Drive(endedOnce(t, over, child), Request{Root: t.TempDir(), Entry: "m.py", Python: py}); !errors.Is(err, over) {
		t.Errorf("error %v", err)
	}
	gone(t, child)
}

// endedOnce ends with a cause when every file is there and says something: what has to end has begun.
func endedOnce(t *testing.T, cause error, files ...string) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		for _, file := range files {
			for {
				if info, err := os.Stat(file); err == nil && info.Size() > 0 {
					break
				}
				time.Sleep(10 * time.Millisecond)
				if t.Context().Err() != nil {
					return
				}
			}
		}
		cancel(cause)
	}()
	return ctx
}

// gone waits for the process whose number a file has to be no more.
func gone(t *testing.T, file string) {
	t.Helper()
	pid, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join("/proc", strings.TrimSpace(string(pid)), "stat")
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		stat, err := os.ReadFile(name)
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s lived on: %s", filepath.Base(file), stat)
		}
	}
}

func TestLoudLimits(t *testing.T) {
	for _, launch := range []string{"torchrun 'two words'", "/no/such/launcher -n 2"} {
		if _, err := Drive(t.Context(), Request{Root: t.TempDir(), Launch: launch}); err == nil || !strings.Contains(err.Error(), "step.launch") {
			t.Errorf("%s: %v", launch, err)
		}
	}
	if _, err := Drive(t.Context(), Request{Root: t.TempDir(), Python: "/no/such/python"}); err == nil || !strings.Contains(err.Error(), "step.python") {
		t.Errorf("python: %v", err)
	}
}

func TestTailIsBounded(t *testing.T) {
	var out tail
	for range 2000 {
		if _, err := out.Write([]byte(strings.Repeat("x", 1000))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := out.Write([]byte("the end\n")); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); len(s) > 2*tailSize || !strings.HasSuffix(s, "the end\n") {
		t.Errorf("%d bytes", len(s))
	}
}

// TestPythonIsWhole: what is embedded is what the modules import from each other, and parses.
func TestPythonIsWhole(t *testing.T) {
	dir := t.TempDir()
	if _, err := unpack(dir); err != nil {
		t.Fatal(err)
	}
	py, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 on this machine")
	}
	check := "import ast, glob, os, sys\nfs = glob.glob(sys.argv[1] + '/py/**/*.py', recursive=True)\n" +
		"have = {os.path.basename(f)[:-3] for f in fs}\nfor f in fs:\n  for n in ast.walk(ast.parse(open(f).read())):\n" +
		"    if isinstance(n, ast.ImportFrom) and n.level:\n      need = {n.module} if n.module else {a.name for a in n.names}\n" +
		"      assert need <= have, (f, need - have)\nassert len(fs) > 10, fs\n"
	out, err := exec.Command(py, "-c", check, dir).CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
