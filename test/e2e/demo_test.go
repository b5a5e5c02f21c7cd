package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// demo starts `gatebot demo` with a temporary directory of its own, so that what it leaves behind shows.
func demo(t *testing.T, args ...string) (cmd *exec.Cmd, out *said, tmp string) {
	t.Helper()
	tmp = t.TempDir()
	out = &said{}
	cmd = exec.Command(gatebot, append([]string{"demo"}, args...)...)
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out, tmp
}

// nothingLeft insists that the demo's directory is gone, and so are its processes: they are known by the directory in
// their command lines.
func nothingLeft(t *testing.T, tmp string) {
	t.Helper()
	if left, err := filepath.Glob(filepath.Join(tmp, "*")); err != nil || left != nil {
		t.Errorf("left behind in the temporary directory: %v %v", left, err)
	}
	// What was killed may take a moment to be gone on a busy machine.
	left := running(t, tmp)
	for deadline := time.Now().Add(patience); len(left) > 0 && time.Now().Before(deadline); left = running(t, tmp) {
		time.Sleep(20 * time.Millisecond)
	}
	for _, process := range left {
		t.Errorf("left running: %s", process)
	}
}

// running lists the processes that name a directory in their command line or stand in it.
func running(t *testing.T, dir string) (found []string) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range lines {
		data, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended meanwhile
		}
		cwd, _ := os.Readlink(filepath.Join(filepath.Dir(name), "cwd")) // as above
		if strings.Contains(string(data), dir) || strings.HasPrefix(cwd, dir+"/") {
			found = append(found, name+" "+strings.ReplaceAll(string(data), "\x00", " "))
		}
	}
	return found
}

func TestDemo(t *testing.T) {
	t.Parallel()
	cmd, out, tmp := demo(t)
	err := cmd.Wait()
	text := out.String()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, want := range []string{
		`pull request #1: failure`, `pull request #2: success`, `dsv4/mhc\.py:\d+ failure`, `dsv4/linear\.py:\d+ failure`,
		`GB101`, `(?m)^ *\+\| [0-9a-f]{7} \|.*\n *\+\| [0-9a-f]{7} \|`, `refused by the hook`, `accepted`, `2 fixes logged`,
	} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("the demo does not show %s", want)
		}
	}
	if strings.Contains(text, "\x1b") {
		t.Error("colors although nobody has a terminal")
	}
	nothingLeft(t, tmp)
	if t.Failed() {
		t.Log(text)
	}
}

// TestDemoInterrupted presses Ctrl-C while things are under way, and while --keep keeps them up.
func TestDemoInterrupted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, after string
		args        []string
		code        int
	}{
		{"at work", "runner", nil, 3},
		{"kept", "running until interrupted", []string{"--keep"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for try := 1; ; try++ {
				code, said := interrupted(t, c.after, c.args...)
				if code == 0 && c.code != 0 && strings.Contains(said, "fixes logged") && try < 10 {
					t.Logf("it was through before it was interrupted: once more")
					continue
				}
				if code != c.code {
					t.Errorf("exit %d, want %d\n%s", code, c.code, said)
				}
				return
			}
		})
	}
}

// interrupted presses Ctrl-C once the demo has said something, and insists that it leaves nothing behind.
func interrupted(t *testing.T, after string, args ...string) (code int, text string) {
	t.Helper()
	cmd, out, tmp := demo(t, args...)
	for deadline := time.Now().Add(patience); !strings.Contains(out.String(), after) && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its code says it
	if !strings.Contains(out.String(), after) {
		t.Errorf("it was interrupted before it said %q:\n%s", after, out)
	}
	nothingLeft(t, tmp)
	return cmd.ProcessState.ExitCode(), out.String()
}

// said is what a command has printed so far.
type said struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
