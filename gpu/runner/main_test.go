package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gatebot/gatebot/gpu/sandbox"
	"github.com/gatebot/gatebot/internal/finding"
)

// The test binary plays two more parts: gatebot itself, started by a runner, and a whole runner that can be killed.
const (
	childEnvVar  = "GATEBOT_TEST_CHILD"
	runnerEnvVar = "GATEBOT_TEST_RUNNER"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "confine" {
		os.Exit(confine(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == "facts" {
		if err := json.NewEncoder(os.Stdout).Encode(sandbox.Inspect(os.Args[2:])); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	if how := os.Getenv(childEnvVar); how != "" {
		os.Exit(fakeCheck(how))
	}
	if cfg := os.Getenv(runnerEnvVar); cfg != "" {
		os.Exit(runnerProcess(cfg))
	}
	os.Exit(m.Run())
}

// runnerConfig is what a runner process is told.
type runnerConfig struct {
	URL, Seed, Work, Child string
	Once                   bool
}

func runnerProcess(text string) int {
	var c runnerConfig
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		fmt.Println(err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	o := Options{Name: "r1", Pools: []string{"p"}, WorkDir: c.Work, URL: c.URL, SeedFile: c.Seed, Once: c.Once,
		Sandbox: Sandbox{Kind: sandbox.None}, Lease: time.Minute, Beat: testLease / 5, Grace: time.Second, Env: []string{childEnvVar + "=" + c.Child}, OwnProcess: true}
	if err := Run(ctx, o, slog.New(slog.NewTextHandler(os.Stderr, nil))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// fakeCheck is gatebot check as far as a runner can see. how is a list of words, done in order.
func fakeCheck(how string) int {
	arg := map[string]string{}
	for i := 2; i+1 < len(os.Args); i++ {
		arg[strings.TrimPrefix(os.Args[i], "--")] = os.Args[i+1]
	}
	tree, _ := exec.Command("git", "rev-parse", arg["rev"]+"^{tree}").Output()
	res := finding.Results{Commit: arg["rev"], Tree: strings.TrimSpace(string(tree)), Verdict: finding.VerdictPass}
	code := 0
	for _, word := range strings.Fields(how) {
		what, param, _ := strings.Cut(word, ":")
		switch what {
		case "pass":
		case "fail":
			res.Verdict, code = finding.VerdictFail, 1
		case "error":
			res.Verdict, res.Reasons, code = finding.VerdictError, []string{"no CUDA device"}, 3
		case "exit":
			if _, err := fmt.Sscan(param, &code); err != nil {
				panic(err)
			}
			continue // no results
		case "tree":
			res.Tree = strings.Repeat("ab", 20)
		case "commit":
			res.Commit = strings.Repeat("ab", 20)
		case "verdict":
			res.Verdict = finding.Verdict(param)
		case "say":
			fmt.Println(strings.ReplaceAll(param, "_", " "))
			continue
		case "wait": // for a file
			for !exists(param) {
				time.Sleep(10 * time.Millisecond)
			}
			continue
		case "progress": // phase/unit/done/total
			f := strings.Split(param, "/")
			line := fmt.Sprintf(`{"phase":%q,"unit":%q,"done":%s,"total":%s}`, f[0], f[1], f[2], f[3])
			_ = os.WriteFile(arg["progress"], []byte(line), 0o600)
			continue
		case "say-from":
			data, err := os.ReadFile(param)
			fmt.Println(string(data), err)
			continue
		case "flood":
			line := strings.Repeat("x", 1023) + "\n"
			for range 3 << 10 {
				fmt.Print(line)
			}
			continue
		case "hang":
			time.Sleep(time.Hour)
		case "stubborn":
			signal.Ignore(syscall.SIGTERM)
			continue
		case "sleep":
			d, err := time.ParseDuration(param)
			if err != nil {
				panic(err)
			}
			time.Sleep(d)
			continue
		case "note": // that this ran, for the test to count
			f, err := os.OpenFile(param, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
			if err != nil {
				panic(err)
			}
			if _, err := fmt.Fprintln(f, os.Getpid()); err != nil {
				panic(err)
			}
			_ = f.Close()
			continue
		case "spawn", "setsid", "daemon": // param: file for the pid of what stays behind
			spawn(what, param)
			continue
		case "garbage":
			_ = os.WriteFile(arg["results"], []byte(`{"schema":"gatebot.results/v1","verd`), 0o600)
			continue
		case "huge":
			_ = os.WriteFile(arg["results"], make([]byte, maxResults+1), 0o600)
			continue
		case "symlink":
			_ = os.Symlink("/etc/hostname", arg["results"])
			continue
		case "kill-self":
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			time.Sleep(time.Hour)
		case "step": // param: a script of the tree, started as the harness starts a step
			root, _ := os.Getwd()
			args := []string{"confine", "--see", root, "--write", os.Getenv("TMPDIR"), arg["confine"], "--", "python3", param}
			cmd := exec.Command(os.Args[0], args...)
			out, err := cmd.CombinedOutput()
			fmt.Printf("step: %s (%v)\n", out, err)
			continue
		case "lock-dir":
			_ = os.MkdirAll("locked/in", 0o700)
			_ = os.Chmod("locked", 0)
			continue
		case "args":
			fmt.Println(os.Args[1:])
			continue
		case "env":
			fmt.Println(strings.Join(os.Environ(), "\n"))
			continue
		default:
			panic("unknown word " + word)
		}
		f, err := os.Create(arg["results"])
		if err != nil {
			panic(err)
		}
		if err := res.Write(f); err != nil {
			panic(err)
		}
		_ = f.Close()
	}
	return code
}

// confine is gatebot runner confine.
func confine(args []string) int {
	var see, write []string
	for len(args) > 1 && strings.HasPrefix(args[0], "--") && args[0] != "--" {
		if args[0] == "--see" {
			see = append(see, args[1])
		} else {
			write = append(write, args[1])
		}
		args = args[2:]
	}
	s, err := sandbox.Load(args[0])
	if err == nil {
		s.See, s.Write = append(s.See, see...), append(s.Write, write...)
		if s.Dir == "" {
			s.Dir, _ = os.Getwd()
		}
		err = s.Enter(os.Environ(), args[2:])
	}
	fmt.Fprintln(os.Stderr, err)
	return 3
}

// spawn leaves a process behind: in the group, in a session of its own, or in one of its own with an empty environment.
func spawn(how, pidFile string) {
	cmd := exec.Command("sleep", "600")
	switch how {
	case "setsid":
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	case "daemon":
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		cmd.Env = []string{"X=1"}
	default:
		cmd.Stdout = os.Stdout // holds the pipe open
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	if err := os.WriteFile(pidFile, fmt.Append(nil, cmd.Process.Pid), 0o600); err != nil {
		panic(err)
	}
}

const testLease = 700 * time.Millisecond

// patience bounds what has to happen, on a machine that is busy with other things: never what must not.
const patience = 2 * time.Minute

// nothingMore is how long what must not come is waited for.
const nothingMore = 50 * time.Millisecond
