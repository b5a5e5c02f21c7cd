// Package gpu holds the script that runs what needs a card. These tests hold it together where there is none.
package gpu

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// acceptance runs the script, which ends before it looks for programs or cards.
func acceptance(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	cmd := exec.Command("./acceptance.sh", args...)
	data, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(data), cmd.ProcessState.ExitCode()
}

// TestEveryPartIsThere: what is listed has a function, and a function is listed.
func TestEveryPartIsThere(t *testing.T) {
	out, code := acceptance(t, "--list")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, out)
	}
	var listed []string
	for line := range strings.Lines(out) {
		listed = append(listed, strings.Fields(line)[0])
	}
	text, err := exec.Command("cat", "acceptance.sh").Output()
	if err != nil {
		t.Fatal(err)
	}
	var written []string
	for _, m := range regexp.MustCompile(`(?m)^part_([a-z0-9-]+)\(\)`).FindAllStringSubmatch(string(text), -1) {
		written = append(written, m[1])
	}
	slices.Sort(listed)
	slices.Sort(written)
	if !slices.Equal(listed, written) || len(listed) < 10 {
		t.Errorf("listed %v, written %v", listed, written)
	}
}

func TestMistakes(t *testing.T) {
	for want, args := range map[string][]string{
		"no part nothing (there are: canary reference": {"--only", "canary,nothing"},
		"--onyl: unknown":             {"--onyl", "canary"},
		"a value is missing":          {"--limit"},
		"bin/none/gatebot is missing": {"--bin", "bin/none", "--out", t.TempDir()},
	} {
		if out, code := acceptance(t, args...); code == 0 || !strings.Contains(out, want) {
			t.Errorf("%v: exit %d: %s", args, code, out)
		}
	}
}
