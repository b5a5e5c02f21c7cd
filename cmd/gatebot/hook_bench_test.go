package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/git"
)

// BenchmarkPush is a push of the last ten commits of GATEBOT_BENCH_REPO (a clone of a real project), through the whole
// program: with nothing remembered, with the trees of the last push remembered, and beside them what any tool needs to
// see the changes and read the changed files.
func BenchmarkPush(b *testing.B) {
	dir := os.Getenv("GATEBOT_BENCH_REPO")
	if dir == "" {
		b.Skip("GATEBOT_BENCH_REPO names no repository")
	}
	b.Chdir(dir)
	command := func(stdin string, args ...string) []byte {
		cmd := exec.Command("git", args...)
		cmd.Env, cmd.Stdin = git.CleanEnv(), strings.NewReader(stdin)
		out, err := cmd.Output()
		if err != nil {
			b.Fatalf("git %v: %v", args, err)
		}
		return out
	}
	rev := func(name string) string { return strings.TrimSpace(string(command("", "rev-parse", name))) }
	tip, base, common := rev("HEAD"), rev("HEAD~10"), rev("--git-common-dir")
	forget := func() {
		if err := os.RemoveAll(filepath.Join(common, "gatebot")); err != nil {
			b.Fatal(err)
		}
	}
	push := func(b *testing.B) {
		in := fmt.Sprintf("refs/heads/main %s refs/heads/main %s\n", tip, base)
		var errs bytes.Buffer
		s := streams{in: strings.NewReader(in), out: &errs, err: &errs}
		if code := run(context.Background(), []string{"hook", "pre-push", "nowhere", "nowhere"}, s); code > exitFindings ||
			strings.Contains(errs.String(), "NOT checked") {
			b.Fatalf("exit %d: %s", code, errs.String())
		}
	}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			forget()
			b.StartTimer()
			push(b)
		}
	})
	b.Run("warm", func(b *testing.B) {
		push(b)
		for b.Loop() {
			push(b)
		}
	})
	b.Run("plumbing", func(b *testing.B) {
		for b.Loop() {
			var blobs strings.Builder
			for _, l := range strings.Split(string(command("", "diff-tree", "-r", "--no-renames", base, tip)), "\n") {
				if f := strings.Fields(l); len(f) > 4 && strings.Trim(f[3], "0") != "" {
					blobs.WriteString(f[3] + "\n")
				}
			}
			command(blobs.String(), "cat-file", "--batch")
		}
	})
	forget()
}
