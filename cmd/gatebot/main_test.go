package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"gatebot": main})
}

// TestScripts runs every command as a person would, with real git.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Condition: func(name string) (bool, error) {
			if name == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("no condition %q", name)
		},
		Setup: func(e *testscript.Env) error {
			h200, err := filepath.Abs("../../gpu/probe/testdata/h200")
			if err != nil {
				return err
			}
			e.Setenv("H200", h200)
			root, err := filepath.Abs("../..")
			if err != nil {
				return err
			}
			e.Setenv("ACTION", filepath.Join(root, "integrations", "action"))
			e.Setenv("PACKAGING", filepath.Join(root, "packaging"))
			e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			e.Setenv("GIT_AUTHOR_NAME", "A U Thor")
			e.Setenv("GIT_AUTHOR_EMAIL", "author@example.com")
			e.Setenv("GIT_COMMITTER_NAME", "C O Mitter")
			e.Setenv("GIT_COMMITTER_EMAIL", "committer@example.com")
			e.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			e.Setenv("GIT_CONFIG_COUNT", "1")
			e.Setenv("GIT_CONFIG_KEY_0", "init.defaultBranch")
			e.Setenv("GIT_CONFIG_VALUE_0", "main")
			return nil
		},
	})
}

// TestUsageErrors holds exit code 2 and one clear line for every way to call a command wrongly.
func TestUsageErrors(t *testing.T) {
	for _, tc := range []struct{ args, want string }{
		{"scann", `unknown command "scann"`},
		{"scan --frmat json", "unknown flag: --frmat"},
		{"scan --format xml", `--format "xml" is none of text, json, sarif, junit, github`},
		{"scan --explain model.py", `--explain "model.py" is not PATH:LINE`},
		{"scan --explain model.py:0", "is not PATH:LINE"},
		{"scan --explain no-such.py:1", "not among the scanned files"},
		{"scan --explain main.go:1 --format github", "text or json"},
		{"scan --fail-on all", `--fail-on "all" is none of error, warn`},
		{"scan --rev HEAD --staged", "exclude each other"},
		{"scan --range HEAD", `--range "HEAD" is not A..B`},
		{"scan --range A...B", `--range "A...B" is not A..B`},
		{"scan --write-baseline", "--write-baseline needs --baseline FILE"},
		{"scan no/such/file.py", "no/such/file.py"},
		{"scan --config no-such.yaml", "--config"},
		{"check now", `unknown command "now"`},
		{"check --only sing", `--only: no check "sing"`},
		{"check --timeout 0s", "not a time limit"},
		{"probe", "requires at least 1 arg"},
		{"probe --format xml -- true", `--format "xml"`},
		{"probe --warmup -1 -- true", "--warmup -1 is negative"},
		{"probe --region-func step -- true", `--region-func "step" is not package.module:Class.method`},
		{"probe -- no-such-program", "no-such-program"},
		{"ops now", "unknown command"},
		{"ops --list all", `no list "all"`},
		{"ops --cases no-such.txt", "--cases: "},
		{"ops --jobs -1", "count from 1"},
		{"trace", ""},
		{"trace verdict", "requires at least 1 arg"},
		{"trace verdict --fail-on all x", `--fail-on "all"`},
		{"hook", ""},
		{"hook remove", `no command "remove"`},
		{"rules GB999", "GB999"},
	} {
		t.Run(tc.args, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := run(context.Background(), strings.Fields(tc.args), streams{in: strings.NewReader(""), out: &out, err: &errs})
			if code != exitUsage {
				t.Errorf("exit %d, want %d; stderr: %s", code, exitUsage, errs.String())
			}
			if !strings.Contains(errs.String(), tc.want) {
				t.Errorf("stderr %q, want %q in it", errs.String(), tc.want)
			}
			if tc.want != "" && !strings.HasPrefix(errs.String(), "gatebot: ") {
				t.Errorf("stderr %q does not start with the program's name", errs.String())
			}
		})
	}
}

func TestPanicIsNoVerdict(t *testing.T) {
	formats["panic"] = nil
	defer delete(formats, "panic")
	var out, errs bytes.Buffer
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.py", []byte("x = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code := run(context.Background(), []string{"scan", "--format", "panic"}, streams{in: strings.NewReader(""), out: &out, err: &errs})
	if code != exitInfra || !strings.HasPrefix(errs.String(), "gatebot: internal error: ") || strings.Count(errs.String(), "\n") != 1 {
		t.Errorf("exit %d, stderr %q", code, errs.String())
	}
}
