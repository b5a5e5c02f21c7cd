package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

func openCLI(t *testing.T, dir string, opts ...Option) *CLI {
	t.Helper()
	r, err := OpenCLI(context.Background(), dir, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// TestLocalEnvComplete holds our list against the git that is installed.
func TestLocalEnvComplete(t *testing.T) {
	out, err := exec.Command("git", "rev-parse", "--local-env-vars").Output()
	if err != nil {
		t.Skip("no git binary")
	}
	for _, v := range strings.Fields(string(out)) {
		if !slices.Contains(localEnv, v) {
			t.Errorf("git knows the local variable %s, localEnv does not", v)
		}
	}
}

// TestEnvironmentDoesNotLeak: GIT_DIR of another repository changes nothing, unless a hook asks for it.
func TestEnvironmentDoesNotLeak(t *testing.T) {
	mine, other := newRepo(t), newRepo(t)
	mine.write("mine.py", "a\n")
	mine.commit("mine")
	other.write("other.py", "a\n")
	other.commit("other")
	t.Setenv("GIT_DIR", filepath.Join(other.dir, ".git"))
	t.Setenv("GIT_WORK_TREE", other.dir)
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "gatebot.test")
	t.Setenv("GIT_CONFIG_VALUE_0", "yes")
	for want, opts := range map[string][]Option{"mine.py": nil, "other.py": {HookEnv()}} {
		repo := openCLI(t, mine.dir, opts...)
		files, err := repo.Tree(context.Background(), "HEAD")
		if err != nil || len(files) != 1 || files[0].Path != want {
			t.Errorf("with %d options: %v, %v; want %s", len(opts), files, err, want)
		}
		if set, err := repo.Flag(context.Background(), "gatebot.test"); err != nil || set != (opts != nil) {
			t.Errorf("with %d options: gatebot.test = %v, %v", len(opts), set, err)
		}
	}
}

// TestReplacementsAreNotBelieved: refs/replace must not put another content in front of the gate.
func TestReplacementsAreNotBelieved(t *testing.T) {
	r := newRepo(t)
	r.write("a.py", "bad\n")
	r.commit("bad")
	bad := r.git("rev-parse", "HEAD:a.py")
	r.write("a.py", "good\n")
	r.commit("good")
	r.git("replace", bad, r.git("rev-parse", "HEAD:a.py"))
	err := openCLI(t, r.dir).Blobs(context.Background(), []string{bad}, func(_ string, data []byte, err error) error {
		if err != nil || string(data) != "bad\n" {
			t.Errorf("blob = %q, %v; want the real one", data, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestCancelledCallsEndAndLeaveTheRepositoryUsable(t *testing.T) {
	r := sample(t)
	repo := openCLI(t, r.dir)
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	id := r.git("rev-parse", "main:last.py")
	ids := make([]string, 200000)
	for i := range ids {
		ids[i] = id
	}
	n := 0
	err := repo.Blobs(ctx, ids, func(string, []byte, error) error {
		if n++; n == 10 {
			cancel(why)
		}
		return nil
	})
	if !errors.Is(err, why) || n == len(ids) {
		t.Errorf("Blobs ended with %v after %d of %d", err, n, len(ids))
	}
	for name, call := range map[string]func() error{
		"Resolve": func() error { _, err := repo.Resolve(ctx, "HEAD"); return err },
		"Tree":    func() error { _, err := repo.Tree(ctx, "HEAD"); return err },
		"Commit":  func() error { _, err := repo.Commit(ctx, id); return err },
	} {
		if err := call(); !errors.Is(err, why) {
			t.Errorf("%s on a cancelled context: %v", name, err)
		}
	}
	if _, err := repo.Commit(context.Background(), r.git("rev-parse", "main")); err != nil {
		t.Errorf("after a cancelled call: %v", err)
	}
}

// TestDeadChildIsReplaced: a cat-file child that dies while idle costs nobody an answer.
func TestDeadChildIsReplaced(t *testing.T) {
	r := sample(t)
	repo := openCLI(t, r.dir)
	id := r.git("rev-parse", "main")
	for range 3 {
		if _, err := repo.Commit(context.Background(), id); err != nil {
			t.Fatal(err)
		}
		for _, b := range repo.contents.idle {
			if err := b.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_, _ = b.cmd.Process.Wait()
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	r := sample(t)
	id := r.git("rev-parse", "main")
	blob := r.git("rev-parse", "main:last.py")
	each(t, func(t *testing.T, open func(*testing.T, string) Repository) {
		repo := open(t, r.dir)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 10 {
					c, err := repo.Commit(context.Background(), id)
					if err != nil || c.Subject != "last" || !repo.Has(context.Background(), blob) {
						t.Errorf("Commit = %+v, %v", c, err)
					}
					err = repo.Blobs(context.Background(), []string{blob, blob}, func(_ string, data []byte, err error) error {
						if err != nil || string(data) != "last = 1\n" {
							t.Errorf("blob = %q, %v", data, err)
						}
						return nil
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
	})
}

// TestOpenWithoutBinary: with no git, or one too old, go-git answers.
func TestOpenWithoutBinary(t *testing.T) {
	r := sample(t)
	old := t.TempDir()
	script := "#!/bin/sh\necho git version 2.17.1\n"
	if err := os.WriteFile(filepath.Join(old, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"none": t.TempDir(), "too old": old} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", path)
			if _, err := OpenCLI(context.Background(), r.dir); !errors.Is(err, ErrNoBinary) {
				t.Errorf("OpenCLI: %v; want ErrNoBinary", err)
			}
			repo, err := Open(context.Background(), r.dir)
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := repo.(*GoGit); !ok {
				t.Errorf("Open gave a %T", repo)
			}
			if _, err := repo.Resolve(context.Background(), "main"); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCheckVersion(t *testing.T) {
	for line, ok := range map[string]bool{"git version 2.39.5": true, "git version 2.25.0.windows.1": true,
		"git version 2.39.5 (Apple Git-154)": true, "git version 3.0": true, "git version 2.24.9": false,
		"git version 1.99": false, "": false, "hub version x": false, "git version two": false} {
		if err := checkVersion(line); (err == nil) != ok {
			t.Errorf("checkVersion(%q) = %v", line, err)
		}
	}
}

func TestErrorsNameCommandAndReason(t *testing.T) {
	r := newRepo(t)
	r.write("a", "a")
	r.commit("a")
	if err := os.WriteFile(filepath.Join(r.dir, ".git", "config"), []byte("[core\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := OpenCLI(context.Background(), r.dir)
	if err == nil || !strings.Contains(err.Error(), "bad config line 1") || strings.Contains(err.Error(), "\n") {
		t.Errorf("a damaged config is reported as %v", err)
	}
}

func TestSettings(t *testing.T) {
	r := newRepo(t)
	ctx := context.Background()
	repo := openCLI(t, r.dir)
	if v, set, err := repo.Setting(ctx, "gatebot.text"); v != "" || set || err != nil {
		t.Errorf("a setting that is not there: %q, %v, %v", v, set, err)
	}
	r.git("config", "gatebot.text", "two\nlines")
	if v, set, err := repo.Setting(ctx, "gatebot.text"); v != "two\nlines" || !set || err != nil {
		t.Errorf("Setting = %q, %v, %v", v, set, err)
	}
	if _, err := repo.Flag(ctx, "gatebot.text"); err == nil {
		t.Error("text was taken for a boolean")
	}
	for path, want := range map[string]string{"": filepath.Join(r.dir, ".git", "hooks"), ".githooks": filepath.Join(r.dir, ".githooks"),
		"/elsewhere/hooks": "/elsewhere/hooks"} {
		if path != "" {
			r.git("config", "core.hooksPath", path)
		}
		if got, err := repo.HooksDir(ctx); err != nil || got != want {
			t.Errorf("core.hooksPath %q: HooksDir = %q, %v; want %q", path, got, err, want)
		}
		r.git("config", "core.hooksPath", "x")
		r.git("config", "--unset", "core.hooksPath")
	}
}
