package hooks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
)

// The scripts of testdata run real git with the hook installed. `gatebot` is this test binary with a scanner that
// flags `.item()` in Python files and nothing else.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"gatebot": func() { os.Exit(fakeProgram(os.Args[1:])) }})
}

func TestScripts(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git binary")
	}
	managers, err := openTools()
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("REPOSITORY", root)
			e.Setenv("VENV", filepath.Join(managers.venv(), "bin"))
			e.Setenv("NODE", managers.node())
			for _, kv := range []string{"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@x",
				"GIT_COMMITTER_NAME=Cy", "GIT_COMMITTER_EMAIL=cy@x", "GORACE=atexit_sleep_ms=0", "HOME=" + filepath.Join(e.WorkDir, "home")} {
				k, v, _ := strings.Cut(kv, "=")
				e.Setenv(k, v)
			}
			e.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(e.WorkDir, "home", "gitconfig"))
			conf := "[init]\n\tdefaultBranch = main\n[advice]\n\tpushUpdateRejected = false\n"
			return errors.Join(os.MkdirAll(filepath.Join(e.WorkDir, "home"), 0o755),
				os.WriteFile(filepath.Join(e.WorkDir, "home", "gitconfig"), []byte(conf), 0o644))
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "sha256":
				return exec.Command("git", "init", "-q", "--object-format=sha256", filepath.Join(t.TempDir(), "x")).Run() == nil, nil
			case "lfs":
				return exec.Command("git", "lfs", "version").Run() == nil, nil
			case "pre-commit", "lefthook", "husky":
				return managers.need(cond) == nil, nil // TestManagersAreTried says why not
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"remote-has": remoteHas, "oddfiles": oddFiles,
			"chmod-none": chmodNone},
	})
}

// remoteHas REPO REF COMMIT: the ref of a repository is this commit of the working directory's.
func remoteHas(ts *testscript.TestScript, neg bool, args []string) {
	rev := func(dir, rev string) string {
		cmd := exec.Command("git", "-C", dir, "rev-parse", "--verify", "--quiet", rev)
		cmd.Env = git.CleanEnv()
		out, err := cmd.Output()
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	got, want := rev(ts.MkAbs(args[0]), args[1]), rev(ts.MkAbs("."), args[2])
	if (got == want && want != "") == neg {
		ts.Fatalf("%s of %s is %q; %s here is %q", args[1], args[0], got, args[2], want)
	}
}

// oddFiles CONTENT writes files with odd names, each with this line.
func oddFiles(ts *testscript.TestScript, _ bool, args []string) {
	for _, n := range []string{"with space.py", "new\nline.py", "latin\xe9.py", "-dash.py", "日本.py", "q\"uote.py"} {
		ts.Check(os.WriteFile(ts.MkAbs(n), []byte(args[0]+"\n"), 0o644))
	}
}

// chmodNone makes a file unreadable in every sense: a directory takes its place.
func chmodNone(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.RemoveAll(ts.MkAbs(args[0])))
	ts.Check(os.MkdirAll(ts.MkAbs(args[0]), 0o755))
}

// fakeProgram is what `gatebot hook …` does, with flags as words.
func fakeProgram(args []string) int {
	ctx := context.Background()
	exe, err := exec.LookPath("gatebot")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitInfra
	}
	report := func(err error) int {
		if err != nil {
			fmt.Fprintln(os.Stderr, "gatebot: "+err.Error())
			return exitUsage
		}
		return exitClean
	}
	switch strings.Join(args[:min(2, len(args))], " ") {
	case "hook install":
		o := InstallOptions{Dir: ".", Binary: exe, Force: slices.Contains(args, "--force"),
			PostCommit: slices.Contains(args, "--post-commit"), Options: strings.Fields(os.Getenv("TEST_OPTIONS"))}
		return report(Install(ctx, o, os.Stdout))
	case "hook uninstall":
		return report(Uninstall(ctx, ".", os.Stdout))
	case "hook status":
		s, err := Status(ctx, ".", exe)
		fmt.Printf("installed=%v current=%v other=%v chained=%v strict=%v program=%v options=%q post-commit=%v\n", s.Installed,
			s.Current, s.Other, s.Chained != "", s.Strict, s.Program != "", s.Options, s.PostCommit)
		return report(err)
	case "hook pre-push":
		o := PushOptions{Dir: ".", Scanner: ScanFunc(scan), Rules: os.Getenv("TEST_RULES"), EachCommit: os.Getenv("TEST_EACH") != "",
			All: os.Getenv("TEST_ALL") != "", GPU: fakeGPU()}
		var stdin io.Reader = os.Stdin
		if args = slices.DeleteFunc(args, func(a string) bool { return strings.HasPrefix(a, "--") }); len(args) == 2 {
			remote, url, lines, err := FromManager(ctx, ".")
			if err != nil {
				return report(err)
			}
			args, stdin = append(args, remote, url), lines
		}
		if len(args) != 4 {
			return report(fmt.Errorf("arguments %q", args))
		}
		return PrePush(ctx, o, args[2], args[3], stdin, os.Stderr)
	case "hook post-commit":
		fmt.Fprintln(os.Stderr, "noted")
		return exitClean
	}
	fmt.Fprintf(os.Stderr, "unknown command %q\n", args)
	return exitUsage
}

// fakeGPU gives what TEST_GPU says: a verdict, or a fault.
func fakeGPU() GPU {
	verdict := os.Getenv("TEST_GPU")
	if verdict == "" {
		return nil
	}
	return func(context.Context, string) (*finding.Results, error) {
		r := &finding.Results{Verdict: finding.Verdict(verdict), Device: &finding.Device{Name: "B200"}}
		check := finding.CheckResult{Name: finding.CheckCapture, Required: true, Status: finding.StatusFail, Reason: "L07 is not captured"}
		switch verdict {
		case "fault":
			return nil, errors.New("the driver is gone")
		case "none":
			r.Verdict, r.Device = finding.VerdictError, nil
			check.Status, check.Reason = finding.StatusNotRun, "no CUDA device"
		case "error":
			r.Reasons = []string{"canary: error: it sings"}
		}
		r.Checks = []finding.CheckResult{check}
		return r, nil
	}
}

var item = regexp.MustCompile(`\w+\.item\(\)`)

// scan is the scanner of the scripts. TEST_SCANS names a file that gets a line for every scan, TEST_FAULT breaks it, a
// configuration "broken" in the commit is a configuration error, and "off" switches everything off.
func scan(ctx context.Context, repo git.Repository, rev string) ([]finding.Finding, error) {
	if name := os.Getenv("TEST_SCANS"); name != "" {
		if err := appendTo(name, rev+"\n"); err != nil {
			return nil, err
		}
	}
	if os.Getenv("TEST_FAULT") != "" {
		return nil, errors.New("the machine is on fire")
	}
	conf, err := git.ReadFile(ctx, repo, rev, config.FileName)
	if err != nil && !errors.Is(err, git.ErrNotFound) {
		return nil, err
	}
	switch strings.TrimSpace(string(conf)) {
	case "broken":
		return nil, &config.Error{File: config.FileName, Line: 1, Problem: "is broken"}
	case "off":
		return nil, nil
	}
	entries, err := repo.Tree(ctx, rev)
	if err != nil {
		return nil, err
	}
	var out []finding.Finding
	for _, e := range entries {
		if !e.IsSource() || !strings.HasSuffix(e.Path, ".py") {
			continue
		}
		err := repo.Blobs(ctx, []string{e.Blob}, func(_ string, data []byte, err error) error {
			if err != nil {
				return err
			}
			for n, line := range strings.Split(string(data), "\n") {
				at := item.FindStringIndex(line)
				if at == nil {
					continue
				}
				out = append(out, finding.Finding{Rule: "GB101", Name: "tensor-item", Severity: finding.Error, Path: e.Path,
					Line: n + 1, EndLine: n + 1, Column: at[0] + 1, EndColumn: at[1] + 1, Confidence: finding.Likely,
					Message: "reads a device value", Fix: "keep it on the device",
					Fingerprint: finding.Fingerprint("GB101", e.Path, "", []string{line[at[0]:at[1]]}, 0)})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// TestPrePushWithoutGit: what comes before any repository is needed.
func TestPrePushWithoutGit(t *testing.T) {
	for name, c := range map[string]struct {
		stdin string
		want  int
	}{
		"empty":        {"", exitClean},
		"blank lines":  {"\n\r\n", exitClean},
		"three fields": {"a b c\n", exitUsage},
		"not ids":      {"refs/heads/x abc refs/heads/x def\n", exitUsage},
		"no repository": {"refs/heads/x " + strings.Repeat("1", 40) + " refs/heads/x " + strings.Repeat("0", 40) + "\n",
			exitClean}, // a fault of the machine passes, with a warning
	} {
		t.Run(name, func(t *testing.T) {
			var errw strings.Builder
			o := PushOptions{Dir: t.TempDir(), Scanner: ScanFunc(scan)}
			if got := PrePush(context.Background(), o, "origin", "u", strings.NewReader(c.stdin), &errw); got != c.want {
				t.Errorf("exit %d; want %d: %s", got, c.want, errw.String())
			}
			if quiet := c.stdin == "" || name == "blank lines"; quiet != (errw.Len() == 0) {
				t.Errorf("it said %q", errw.String())
			}
		})
	}
}

// TestBrokenInput: an input that fails while it is read is no empty push.
func TestBrokenInput(t *testing.T) {
	r := io.MultiReader(strings.NewReader("refs/heads/x "), iotestErr{})
	if got := PrePush(context.Background(), PushOptions{Dir: t.TempDir()}, "o", "u", r, io.Discard); got == exitClean {
		t.Error("a broken input passed")
	}
}

type iotestErr struct{}

func (iotestErr) Read([]byte) (int, error) { return 0, errors.New("broken pipe") }

func FuzzParseUpdates(f *testing.F) {
	zero, one := strings.Repeat("0", 40), strings.Repeat("1", 64)
	f.Add("refs/heads/a " + one + " refs/heads/a " + zero + "\nHEAD^{/a b} " + one + " refs/heads/b " + one + "\r\n")
	f.Add("(delete) " + zero + " refs/heads/a " + one + "\n")
	f.Fuzz(func(t *testing.T, input string) {
		updates, err := parseUpdates(input)
		if err != nil {
			return
		}
		for _, u := range updates {
			if !hexID(u.localID) || !hexID(u.remoteID) || u.remoteRef == "" || strings.ContainsAny(u.remoteRef, " \n") {
				t.Errorf("update %+v", u)
			}
		}
	})
}
