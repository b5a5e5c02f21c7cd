package tree

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/git"
)

// benchRepo is GATEBOT_BENCH_REPO, or a generated one of 2,500 Python files.
func benchRepo(b *testing.B) (string, git.Repository) {
	b.Helper()
	dir := os.Getenv("GATEBOT_BENCH_REPO")
	if dir == "" {
		dir = b.TempDir()
		body := strings.Repeat("def f(x):\n    return x + 1\n\n", 400)
		for f := range 2500 {
			name := filepath.Join(dir, fmt.Sprintf("pkg%d", f%50), fmt.Sprintf("file%d.py", f))
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(name, fmt.Appendf(nil, "# %d\n%s", f, body), 0o644); err != nil {
				b.Fatal(err)
			}
		}
		for _, args := range [][]string{{"init", "-q"}, {"add", "-A"},
			{"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "c"}, {"gc", "-q"}} {
			cmd := exec.Command("git", args...)
			cmd.Dir, cmd.Env = dir, git.CleanEnv()
			if err := cmd.Run(); err != nil {
				b.Skip(err)
			}
		}
	}
	repo, err := git.Open(context.Background(), dir)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = repo.Close() })
	return dir, repo
}

// BenchmarkFiles lists a commit and a working tree.
func BenchmarkFiles(b *testing.B) {
	dir, repo := benchRepo(b)
	for name, src := range map[string]checks.Source{"commit": NewCommit(repo, "HEAD"), "worktree": NewWorktree(dir)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := src.Files(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRead reads every Python file of a commit: one by one from two goroutines, and in one exchange.
func BenchmarkRead(b *testing.B) {
	_, repo := benchRepo(b)
	ctx := context.Background()
	src := NewCommit(repo, "HEAD")
	all, err := src.Files(ctx)
	if err != nil {
		b.Fatal(err)
	}
	var files []checks.File
	for _, f := range all {
		if strings.HasSuffix(f.Path, ".py") {
			files = append(files, f)
		}
	}
	b.Run("each", func(b *testing.B) {
		for b.Loop() {
			var wg sync.WaitGroup
			for w := range 2 {
				wg.Go(func() {
					for i := w; i < len(files); i += 2 {
						if _, err := src.Read(ctx, files[i]); err != nil {
							b.Error(err)
						}
					}
				})
			}
			wg.Wait()
		}
	})
	b.Run("batch", func(b *testing.B) {
		for b.Loop() {
			err := src.(BatchReader).ReadAll(ctx, files, func(_ checks.File, _ []byte, err error) error { return err })
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}
