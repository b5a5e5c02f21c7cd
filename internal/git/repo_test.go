package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// clean is an environment in which git reads no configuration but what a test writes.
func clean(t *testing.T) []string {
	t.Helper()
	env := CleanEnv()
	return append(env, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.org", "GIT_COMMITTER_NAME=Cy",
		"GIT_COMMITTER_EMAIL=cy@example.org", "LC_ALL=C")
}

// testRepo is a repository made by the real git, with dates that grow by a minute a commit.
type testRepo struct {
	t    *testing.T
	dir  string
	tick int
}

func newRepo(t *testing.T, initArgs ...string) *testRepo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git binary")
	}
	r := &testRepo{t: t, dir: filepath.Join(t.TempDir(), "repo")}
	r.in(filepath.Dir(r.dir), append([]string{"init", "-q", "-b", "main", r.dir}, initArgs...)...)
	return r
}

func (r *testRepo) in(dir string, args ...string) string {
	r.t.Helper()
	r.tick++
	date := "2026-01-02T03:" + two(r.tick/60%60) + ":" + two(r.tick%60) + "Z"
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(clean(r.t), "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func two(n int) string { return string([]byte{byte('0' + n/10), byte('0' + n%10)}) }

func (r *testRepo) git(args ...string) string { r.t.Helper(); return r.in(r.dir, args...) }

func (r *testRepo) write(path, content string) {
	r.t.Helper()
	full := filepath.Join(r.dir, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r *testRepo) commit(message string) string {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", message)
	return r.git("rev-parse", "HEAD")
}

// oddNames are paths that are legal in git and break careless parsing.
var oddNames = []string{"with space.py", "tab\there.py", "new\nline.py", "quote\"back\\slash.py", "latin\xe9.py",
	"日本語.py", "-dash.py", "a/b c/d.py", endOfDiff}

// sample builds a history with everything the conformance suite asks about: odd names, a rename with and without an
// edit, a mode change, a file that becomes a link, a submodule, a merge, tags of both kinds.
func sample(t *testing.T, initArgs ...string) *testRepo {
	r := newRepo(t, initArgs...)
	for _, n := range oddNames {
		r.write(n, "content of "+n+"\n")
	}
	r.write("moved.py", strings.Repeat("line of a file that moves\n", 20)+"tail\n")
	r.write("same.py", "a file that moves as it is, and is long enough to be told from others\n")
	r.write("tool.sh", "#!/bin/sh\n")
	r.write("becomes_link.py", "x = 1\n")
	r.write("dir/becomes_dir", "file first\n")
	first := r.commit("first\nline\n\nbody")
	r.git("update-index", "--add", "--cacheinfo", "160000,"+first+",vendor/sub")
	r.git("commit", "-q", "-m", "submodule")
	r.git("checkout", "-q", "-b", "side")
	r.write("side.py", "side = 1\n")
	r.commit("side")
	r.git("tag", "light")
	r.git("checkout", "-q", "main")
	r.git("mv", "moved.py", "dir/moved to.py")
	r.write("dir/moved to.py", strings.Repeat("line of a file that moves\n", 20)+"other tail\n")
	r.git("mv", "same.py", "same2.py")
	if err := os.Remove(filepath.Join(r.dir, "becomes_link.py")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("tool.sh", filepath.Join(r.dir, "becomes_link.py")); err != nil {
		t.Fatal(err)
	}
	r.git("rm", "-q", "dir/becomes_dir")
	r.write("dir/becomes_dir/inner.py", "now a directory\n")
	r.git("add", "--", ".", ":!vendor")
	r.git("update-index", "--chmod=+x", "tool.sh")
	r.git("commit", "-q", "-m", "changes of every kind")
	r.git("tag", "-a", "-m", "annotated", "v1")
	r.git("tag", "-a", "-m", "tag of a tag", "v1-again", "v1")
	r.git("merge", "-q", "--no-ff", "-m", "merge side", "side")
	r.write("last.py", "last = 1\n")
	r.git("add", "last.py")
	r.git("commit", "-q", "-m", "last")
	return r
}
