package hooks

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
)

// benchRepo has 2,500 Python files and ten commits on top of what its remote-tracking branch has, each touching 20
// files. With GATEBOT_BENCH_REPO a repository of the reader's choice is used, and its last ten commits.
func benchRepo(b *testing.B) (dir, base, tip string) {
	b.Helper()
	run := func(stdin string, args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env, cmd.Stdin = dir, git.CleanEnv(), strings.NewReader(stdin)
		out, err := cmd.Output()
		if err != nil {
			b.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	if dir = os.Getenv("GATEBOT_BENCH_REPO"); dir != "" {
		return dir, run("", "rev-parse", "HEAD~10"), run("", "rev-parse", "HEAD")
	}
	dir = filepath.Join(b.TempDir(), "repo")
	if err := exec.Command("git", "init", "-q", "-b", "main", dir).Run(); err != nil {
		b.Skip("no git binary")
	}
	var in bytes.Buffer
	body := strings.Repeat("def f(x):\n    return x + 1\n\n", 200)
	for c := range 11 {
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter A <a@b> %d +0000\ndata 1\nc\n", 1000+c)
		files := 20
		if c == 0 {
			files = 2500
		}
		for f := range files {
			text := fmt.Sprintf("# %d %d\n%s", c, f, body)
			fmt.Fprintf(&in, "M 100644 inline pkg%d/file%d.py\ndata %d\n%s\n", f%50, f, len(text), text)
		}
		if c == 0 {
			fmt.Fprint(&in, "\nreset refs/remotes/origin/main\nfrom refs/heads/main\n\n")
		}
	}
	run(in.String(), "fast-import", "--quiet")
	return dir, run("", "rev-parse", "refs/remotes/origin/main"), run("", "rev-parse", "main")
}

// BenchmarkPrePush is the hook's own part of a push of ten commits, with a scanner that costs nothing; compare it with
// BenchmarkPlumbing, what any tool needs to see the changes and read the changed files.
func BenchmarkPrePush(b *testing.B) {
	dir, base, tip := benchRepo(b)
	line := fmt.Sprintf("refs/heads/main %s refs/heads/main %s\n", tip, base)
	none := ScanFunc(func(context.Context, git.Repository, string) ([]finding.Finding, error) { return nil, nil })
	for b.Loop() {
		var errw bytes.Buffer
		if code := PrePush(context.Background(), PushOptions{Dir: dir, Scanner: none}, "origin", "u", strings.NewReader(line), &errw); code != 0 {
			b.Fatal(code, errw.String())
		}
	}
}

// BenchmarkPlumbing is git diff-tree and git cat-file on the same commits.
func BenchmarkPlumbing(b *testing.B) {
	dir, base, tip := benchRepo(b)
	for b.Loop() {
		diff := exec.Command("git", "diff-tree", "-r", base, tip)
		diff.Dir = dir
		out, err := diff.Output()
		if err != nil {
			b.Fatal(err)
		}
		var ids bytes.Buffer
		for _, l := range strings.Split(strings.TrimSpace(string(out)), "\n") {
			fmt.Fprintln(&ids, strings.Fields(l)[3])
		}
		cat := exec.Command("git", "cat-file", "--batch")
		cat.Dir, cat.Stdin = dir, &ids
		if err := cat.Run(); err != nil {
			b.Fatal(err)
		}
	}
}
