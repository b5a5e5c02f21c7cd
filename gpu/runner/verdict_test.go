package runner

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/queue"
)

// TestVerdicts: what the child does, and what the result says about it.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		how    string
		class  queue.Class
		reason string // part of it
	}{
		"pass":                         {"pass", queue.ClassVerdict, ""},
		"fail":                         {"fail", queue.ClassVerdict, ""},
		"no verdict":                   {"error", queue.ClassInfra, "exit 3): no CUDA device"},
		"prints a pass and exits 3":    {"pass say:verdict_pass exit:3", queue.ClassInfra, "last output: verdict pass"},
		"pass and exit 1":              {"pass exit:1", queue.ClassInfra, "contradict"},
		"fail and exit 0":              {"fail exit:0", queue.ClassInfra, "contradict"},
		"error and exit 1":             {"error exit:1", queue.ClassInfra, "contradict"},
		"unknown verdict":              {"verdict:maybe", queue.ClassInfra, "none of pass, fail, error"},
		"usage error":                  {"exit:2", queue.ClassInfra, "exit 2"},
		"no results":                   {"say:all_good exit:0", queue.ClassInfra, "left no results (exit 0)"},
		"garbage":                      {"garbage exit:0", queue.ClassInfra, "left no results"},
		"huge results":                 {"huge exit:0", queue.ClassInfra, "limit"},
		"results are a link":           {"symlink exit:0", queue.ClassInfra, "no regular file"},
		"another tree":                 {"tree", queue.ClassInfra, "not about"},
		"another commit":               {"commit", queue.ClassInfra, "not about"},
		"crash":                        {"kill-self", queue.ClassInfra, "signal killed"},
		"leaves a directory locked":    {"lock-dir pass", queue.ClassVerdict, ""},
		"ends in a flood and a signal": {"flood kill-self", queue.ClassInfra, "signal"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := queue.NewMemory()
			job := aJob(t, q, "job/1")
			send(t, q, job)
			o := options(t, q, c.how)
			if err := Run(context.Background(), o, nil); err != nil {
				t.Fatal(err)
			}
			res := nextResult(t, q, patience)
			if res == nil {
				t.Fatal("no result")
			}
			if res.Class != c.class || !strings.Contains(res.Reason, c.reason) {
				t.Errorf("class %s, reason %q; want %s, %q", res.Class, res.Reason, c.class, c.reason)
			}
			if (c.class == queue.ClassVerdict) != (len(res.Results) > 0) {
				t.Errorf("class %s with %d bytes of results", res.Class, len(res.Results))
			}
			if res.JobID != job.ID || res.Key != job.Key || res.Attempt != 1 || res.Epoch != 1 || res.Runner != "r1" ||
				res.Finished.Before(res.Started) {
				t.Errorf("result is of another job: %+v", res)
			}
			if c.class == queue.ClassVerdict {
				got, err := finding.Read(res.Results)
				if err != nil || got.Commit != job.Head || got.Tree != job.Tree {
					t.Errorf("results: %+v, %v", got, err)
				}
			}
			idle(t, q, o.WorkDir)
		})
	}
}

// run does one job with the child doing how, and returns its result.
func run(t *testing.T, how string, change func(*Options, *queue.Job)) *queue.Result {
	t.Helper()
	q := queue.NewMemory()
	job := aJob(t, q, "job")
	o := options(t, q, how)
	if change != nil {
		change(&o, &job)
	}
	send(t, q, job)
	if err := Run(context.Background(), o, nil); err != nil {
		t.Fatal(err)
	}
	res := nextResult(t, q, patience)
	if res == nil {
		t.Fatal("no result")
	}
	if !o.Keep {
		idle(t, q, o.WorkDir)
	}
	return res
}

// TestArguments: the child is told the commits, the base's configuration and where to write; nothing more.
func TestArguments(t *testing.T) {
	t.Parallel()
	var job queue.Job
	res := run(t, "args exit:2", func(o *Options, j *queue.Job) {
		o.RequireGPU = true
		job = *j
	})
	for _, want := range []string{"[check --rev " + job.Head, "--base " + job.Base, "--config ", "--results ", "--require-gpu"} {
		if !strings.Contains(res.LogTail, want) {
			t.Errorf("arguments %q lack %q", res.LogTail, want)
		}
	}
}

// TestConfig: the configuration comes with the job, never from the head.
func TestConfig(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]string{"of the base": "version: 1\nfixlog: {mode: off}\n", "none": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			work := t.TempDir()
			run(t, "pass", func(o *Options, j *queue.Job) {
				o.WorkDir, o.Keep = work, true
				if cfg != "" {
					j.Config = []byte(cfg)
				}
			})
			names, err := filepath.Glob(filepath.Join(work, "attempts", "*", "gate.yaml"))
			if err != nil || len(names) != 1 {
				t.Fatalf("%v, %v", names, err)
			}
			got, err := os.ReadFile(names[0])
			if err != nil {
				t.Fatal(err)
			}
			if want := cfg; want == "" && string(got) != defaultConfig || want != "" && string(got) != want {
				t.Errorf("configuration %q", got)
			}
		})
	}
}

// TestEnvironment: no secret of the runner's reaches the child.
func TestEnvironment(t *testing.T) {
	t.Setenv("GITHUB_TOKEN", "secret-token")
	t.Setenv("NKEY_SEED", "secret-seed")
	t.Setenv("GIT_DIR", "/nowhere")
	t.Setenv("ALLOWED", "allowed-value")
	res := run(t, "env pass", func(o *Options, _ *queue.Job) {
		o.Env = append(o.Env, "ALLOWED", "SET=set-value")
		o.Devices = "3"
	})
	for _, bad := range []string{"secret", "GIT_DIR", os.Getenv("HOME") + "\n"} {
		if strings.Contains(res.LogTail, bad) {
			t.Errorf("the child sees %s", bad)
		}
	}
	for _, want := range []string{"ALLOWED=allowed-value", "SET=set-value", "CUDA_VISIBLE_DEVICES=3", "/home\n", "TMPDIR=", "PATH="} {
		if !strings.Contains(res.LogTail, want) {
			t.Errorf("the child does not see %s: %s", want, res.LogTail)
		}
	}
}

func TestLogCapped(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	res := run(t, "say:first_words flood say:last_words pass", func(o *Options, _ *queue.Job) {
		o.WorkDir, o.Keep, o.MaxLog = work, true, 64<<10
	})
	if len(res.LogTail) > tailBytes+100 || !strings.Contains(res.LogTail, "last words") {
		t.Errorf("tail of %d bytes", len(res.LogTail))
	}
	names, err := filepath.Glob(filepath.Join(work, "attempts", "*", "log.txt"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%v, %v", names, err)
	}
	data, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	if s := string(data); len(s) > 64<<10+100 || !strings.HasPrefix(s, "first words") || !strings.HasSuffix(s, "last words\n") ||
		!strings.Contains(s, "bytes left out") {
		t.Errorf("log of %d bytes: %.40q … %.40q", len(s), s, s[max(0, len(s)-40):])
	}
}

func TestBadBundles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*queue.Job)
		reason string
	}{
		"gone":         {func(j *queue.Job) { j.Bundle.Name += "x" }, "no such record"},
		"checksum":     {func(j *queue.Job) { j.Bundle.SHA256 = strings.Repeat("0", 64) }, "damaged"},
		"too short":    {func(j *queue.Job) { j.Bundle.Size++ }, "damaged"},
		"too long":     {func(j *queue.Job) { j.Bundle.Size-- }, "damaged"},
		"another head": {func(j *queue.Job) { j.Head = j.Base }, "not what the job names"},
		"another tree": {func(j *queue.Job) { j.Tree = strings.Repeat("ab", 20) }, "not what the job names"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := run(t, "pass", func(_ *Options, j *queue.Job) { c.change(j) })
			if res.Class != queue.ClassInfra || !strings.Contains(res.Reason, c.reason) {
				t.Errorf("class %s, reason %q; want %q", res.Class, res.Reason, c.reason)
			}
		})
	}
}

func TestMissingExecutable(t *testing.T) {
	t.Parallel()
	res := run(t, "pass", func(o *Options, _ *queue.Job) { o.Executable = "/nonexistent/gatebot" })
	if res.Class != queue.ClassInfra || !strings.Contains(res.Reason, "no such file") {
		t.Errorf("class %s, reason %q", res.Class, res.Reason)
	}
}

func TestUnreadableJob(t *testing.T) {
	t.Parallel()
	q := queue.NewMemory()
	if _, err := q.Publish(context.Background(), queue.Jobs, "p", "x", []byte("{")); err != nil {
		t.Fatal(err)
	}
	o := options(t, q, "pass")
	if err := Run(context.Background(), o, nil); err != nil {
		t.Fatal(err)
	}
	idle(t, q, o.WorkDir)
}

func TestOptions(t *testing.T) {
	t.Parallel()
	q := queue.NewMemory()
	good := options(t, q, "pass")
	for name, change := range map[string]func(*Options){
		"name":  func(o *Options) { o.Name = "" },
		"pools": func(o *Options) { o.Pools = nil },
		"work":  func(o *Options) { o.WorkDir = "" },
		"queue": func(o *Options) { o.Queue = nil },
		"seed":  func(o *Options) { o.Queue, o.URL, o.SeedFile = nil, "nats://127.0.0.1:1", "/nonexistent" },
		"file":  func(o *Options) { o.WorkDir = os.Args[0] },
	} {
		o := good
		change(&o)
		if err := Run(context.Background(), o, nil); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	w, err := openWorkDir(good.WorkDir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	if err := Run(context.Background(), good, nil); !errors.Is(err, ErrBusy) {
		t.Errorf("second runner: %v, want ErrBusy", err)
	}
}
