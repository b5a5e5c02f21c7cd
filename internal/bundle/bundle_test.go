package bundle_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/internal/bundle"
	"github.com/gatebot/gatebot/internal/git"
)

// repo is a repository made with git itself.
type repo struct {
	t   *testing.T
	dir string
}

func newRepo(t *testing.T, args ...string) *repo {
	t.Helper()
	r := &repo{t, t.TempDir()}
	r.git(append([]string{"init", "-q", "-b", "main"}, args...)...)
	return r
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(git.CleanEnv(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a",
		"GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repo) write(path, text string) {
	r.t.Helper()
	name := filepath.Join(r.dir, path)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repo) link(path, target string) {
	r.t.Helper()
	if err := os.Symlink(target, filepath.Join(r.dir, path)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repo) commit(message string) string {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", message)
	return r.git("rev-parse", "HEAD")
}

func (r *repo) want(head, base string) bundle.Want {
	return bundle.Want{Head: head, Base: base, Tree: r.git("rev-parse", head+"^{tree}")}
}

// make bundles from a bare clone, as the server has one.
func (r *repo) bundle(head, base string) []byte {
	r.t.Helper()
	bare := filepath.Join(r.t.TempDir(), "mirror.git")
	r.git("clone", "-q", "--bare", ".", bare)
	var b bytes.Buffer
	if err := bundle.Write(context.Background(), bare, head, base, &b); err != nil {
		r.t.Fatal(err)
	}
	return b.Bytes()
}

// files lists path → mode and content of a work tree without .git.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		if rel == ".git" {
			return fs.SkipDir
		}
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(p)
			got[rel] = "-> " + target
			return err
		case !d.IsDir():
			data, err := os.ReadFile(p)
			got[rel] = string(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestRoundTrip(t *testing.T) {
	r := newRepo(t)
	r.write("old.py", "old\n")
	r.commit("history that stays behind")
	r.write("model.py", "def step(): ...\n")
	base := r.commit("base")
	tree := map[string]string{
		"model.py": "def step():\n    x.item()\n", "crlf.txt": "a\r\nb\r\n", "deep/er/a b\tc.py": "x\n", "ünï.py": "y\n",
		"empty": "", ".gitattributes": "* text eol=crlf\n*.bin filter=lfs\n*.py ident\n", "w.bin": "version lfs\n",
		"big": strings.Repeat("0123456789abcdef", 1<<16), "id.py": "$Id$\n",
	}
	for p, s := range tree {
		r.write(p, s)
	}
	if err := os.Remove(filepath.Join(r.dir, "old.py")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(r.dir, "deep/er/a b\tc.py"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.link("link.py", "model.py")
	r.git("config", "filter.lfs.clean", "cat")
	head := r.commit("head")
	// What git stored, not what the work tree has: text=eol converts on the way in.
	want := map[string]string{"link.py": "-> model.py"}
	for p := range tree {
		want[p] = showBlob(t, r, head, p)
	}

	dir := filepath.Join(t.TempDir(), "out")
	res, err := bundle.Checkout(context.Background(), bytes.NewReader(r.bundle(head, base)), dir, r.want(head, base))
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Replaced) != 0 {
		t.Errorf("replaced links %q", res.Replaced)
	}
	if d := cmp.Diff(want, files(t, dir)); d != "" {
		t.Error(d)
	}
	out := &repo{t, dir}
	if got := out.git("rev-parse", "HEAD"); got != head {
		t.Errorf("HEAD is %s", got)
	}
	if got := out.git("show", base+":model.py"); got != "def step(): ..." {
		t.Errorf("base file: %q", got)
	}
	if got := out.git("rev-list", "--all", "HEAD"); strings.Count(got, "\n") != 1 {
		t.Errorf("commits:\n%s\nwant head and base only", got)
	}
	if got := out.git("diff", "--stat", "--no-renames", base, head, "--", "old.py"); !strings.Contains(got, "old.py") {
		t.Errorf("the two trees cannot be compared: %q", got)
	}
	if got := out.git("remote"); got != "" {
		t.Errorf("remotes: %q", got)
	}
	if _, err := os.Stat(filepath.Join(dir, ".git", "hooks")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("hooks: %v", err)
	}
	if fi, err := os.Stat(filepath.Join(dir, "deep/er/a b\tc.py")); err != nil || fi.Mode()&0o100 == 0 {
		t.Errorf("the executable bit is gone: %v", err)
	}
	if got := out.git("status", "--porcelain"); got != "" {
		t.Errorf("status: %q", got)
	}
	// gatebot's own reader agrees.
	g, err := git.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := g.Commit(context.Background(), head); err != nil || c.Tree != r.want(head, "").Tree {
		t.Errorf("commit: %+v, %v", c, err)
	}
}

func showBlob(t *testing.T, r *repo, head, path string) string {
	t.Helper()
	cmd := exec.Command("git", "cat-file", "blob", head+":"+path)
	cmd.Dir = r.dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestWithoutBaseAndSameBase(t *testing.T) {
	r := newRepo(t)
	r.write("a.py", "x\n")
	head := r.commit("root commit")
	for _, base := range []string{"", head} {
		dir := filepath.Join(t.TempDir(), "out")
		if _, err := bundle.Checkout(context.Background(), bytes.NewReader(r.bundle(head, base)), dir, r.want(head, base)); err != nil {
			t.Errorf("base %q: %v", base, err)
		}
	}
}

func TestGitReadsIt(t *testing.T) {
	r := newRepo(t)
	r.write("a.py", "x\n")
	head := r.commit("root commit")
	name := filepath.Join(t.TempDir(), "b.bundle")
	if err := os.WriteFile(name, r.bundle(head, ""), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := r.git("bundle", "list-heads", name); got != head+" "+bundle.HeadRef {
		t.Errorf("list-heads: %q", got)
	}
	r.git("bundle", "verify", name)
}

// TestLinks: what leads out becomes a file, what stays in stays a link.
func TestLinks(t *testing.T) {
	r := newRepo(t)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.write("dir/sub/file", "x\n")
	want := map[string]string{"dir/sub/file": "x\n"}
	for path, c := range map[string]struct {
		target string
		stays  bool
	}{
		"abs": {secret, false}, "abs-nowhere": {"/nonexistent/x", false}, "up": {"../x", false}, "dir/up2": {"../../x", false},
		"in": {"dir/sub/file", true}, "dangling": {"nowhere", true}, "dir/root": {"..", true}, "loop": {"loop", true},
		"dir/round": {"root/..", false}, // dir/root/.. lies above the tree although it reads like dir
		"through":   {"file-in-file/sub", true},
	} {
		r.link(path, c.target)
		want[path] = c.target
		if c.stays {
			want[path] = "-> " + c.target
		}
	}
	head := r.commit("links")
	dir := filepath.Join(t.TempDir(), "out")
	res, err := bundle.Checkout(context.Background(), bytes.NewReader(r.bundle(head, "")), dir, r.want(head, ""))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, files(t, dir)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"abs", "abs-nowhere", "dir/round", "dir/up2", "up"}, res.Replaced); d != "" {
		t.Error(d)
	}
	if data, err := os.ReadFile(secret); err != nil || string(data) != "secret" {
		t.Errorf("the file outside: %q, %v", data, err)
	}
}

func TestCannotBeBundled(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t)
	empty := r.commit("empty")
	r.git("update-index", "--add", "--cacheinfo", "160000,"+empty+",vendor/sub")
	r.git("commit", "-q", "-m", "submodules only")
	submodules := r.git("rev-parse", "HEAD")
	r.write("a.py", "x\n")
	r.write("big", strings.Repeat("x", 1<<20))
	r.git("add", "a.py", "big")
	r.git("commit", "-q", "-m", "files and a submodule")
	files := r.git("rev-parse", "HEAD")
	sha256 := newRepo(t, "--object-format=sha256")
	sha256.write("a.py", "x\n")
	head256 := sha256.commit("x")
	damaged := newRepo(t)
	damaged.write("a.py", "some text\n")
	broken := damaged.commit("x")
	blob := damaged.git("rev-parse", "HEAD:a.py")
	if err := os.Remove(filepath.Join(damaged.dir, ".git/objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	absent := strings.Repeat("12", 20)
	for name, c := range map[string]struct {
		r    *repo
		head string
		base string
		w    bundle.Writer
		want error
	}{
		"empty tree":       {r: r, head: empty, want: bundle.ErrNoFiles},
		"submodules only":  {r: r, head: submodules, want: bundle.ErrNoFiles},
		"empty base":       {r: r, head: files, base: empty},
		"too large":        {r: r, head: files, w: bundle.Writer{MaxBytes: 1 << 19}, want: bundle.ErrTooLarge},
		"no such head":     {r: r, head: absent, want: bundle.ErrMissing},
		"no such base":     {r: r, head: files, base: absent, want: bundle.ErrMissing},
		"missing file":     {r: damaged, head: broken, want: bundle.ErrMissing},
		"sha256":           {r: sha256, head: head256, want: bundle.ErrUnsupported},
		"sha256 by config": {r: sha256, head: files, want: bundle.ErrUnsupported},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			err := c.w.Write(ctx, filepath.Join(c.r.dir, ".git"), c.head, c.base, &b)
			if !errors.Is(err, c.want) || c.want == nil && err != nil {
				t.Errorf("%v, want %v", err, c.want)
			}
			t.Log(err)
		})
	}
	if err := bundle.Write(ctx, filepath.Join(r.dir, ".git"), "--upload-pack", "", &bytes.Buffer{}); err == nil {
		t.Error("a head that is no id was taken")
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if err := bundle.Write(cancelled, filepath.Join(r.dir, ".git"), files, "", &bytes.Buffer{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestBadBundles(t *testing.T) {
	r := newRepo(t)
	r.write("a.py", strings.Repeat("some text to pack\n", 500))
	head := r.commit("x")
	good := r.bundle(head, "")
	want := r.want(head, "")
	other := want
	other.Tree = strings.Repeat("ab", 20)
	flipped := bytes.Clone(good)
	flipped[len(flipped)-30] ^= 0xff
	pack := good[bytes.Index(good, []byte("PACK")):]
	for name, c := range map[string]struct {
		data []byte
		want bundle.Want
		err  error
	}{
		"empty":           {nil, want, bundle.ErrDamaged},
		"text":            {[]byte("<html>not found</html>\n"), want, bundle.ErrDamaged},
		"cut in header":   {good[:40], want, bundle.ErrDamaged},
		"cut in pack":     {good[:len(good)-40], want, bundle.ErrDamaged},
		"bit flipped":     {flipped, want, bundle.ErrDamaged},
		"no pack":         {good[:len(good)-len(pack)], want, bundle.ErrDamaged},
		"prerequisite":    {[]byte("# v2 git bundle\n-" + head + "\n\n" + string(pack)), want, bundle.ErrDamaged},
		"other reference": {[]byte("# v2 git bundle\n" + head + " refs/heads/main\n\n" + string(pack)), want, bundle.ErrDamaged},
		"long header":     {[]byte("# v2 git bundle\n" + strings.Repeat("x", 1<<20)), want, bundle.ErrDamaged},
		"commit missing": {[]byte("# v2 git bundle\n" + other.Tree + " " + bundle.HeadRef + "\n\n" + string(pack)),
			bundle.Want{Head: other.Tree, Tree: want.Tree}, bundle.ErrDamaged},
		"another tree":   {good, other, bundle.ErrMismatch},
		"another commit": {good, bundle.Want{Head: other.Tree, Tree: want.Tree}, bundle.ErrMismatch},
		"base unasked":   {r.bundle(head, head), want, bundle.ErrMismatch},
		"no base":        {good, r.want(head, head), bundle.ErrMismatch},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := bundle.Checkout(context.Background(), bytes.NewReader(c.data), filepath.Join(t.TempDir(), "out"), c.want)
			if !errors.Is(err, c.err) {
				t.Errorf("%v, want %v", err, c.err)
			}
			t.Log(err)
		})
	}
	if _, err := bundle.Checkout(context.Background(), bytes.NewReader(good), r.dir, want); err == nil {
		t.Error("a directory that is not empty was taken")
	}
}

// TestMissingBlob: a bundle whose pack is whole but lacks a file is damaged, not a checkout with a hole.
func TestMissingBlob(t *testing.T) {
	r := newRepo(t)
	r.write("a.py", "x\n")
	head := r.commit("x")
	cmd := exec.Command("git", "pack-objects", "--stdout", "-q")
	cmd.Dir = r.dir
	cmd.Stdin = strings.NewReader(head + "\n" + r.git("rev-parse", head+"^{tree}") + "\n")
	pack, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	data := append([]byte("# v2 git bundle\n"+head+" "+bundle.HeadRef+"\n\n"), pack...)
	_, err = bundle.Checkout(context.Background(), bytes.NewReader(data), filepath.Join(t.TempDir(), "out"), r.want(head, ""))
	if !errors.Is(err, bundle.ErrDamaged) {
		t.Errorf("%v, want ErrDamaged", err)
	}
}
