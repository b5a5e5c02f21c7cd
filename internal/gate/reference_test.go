package gate

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
)

// comparing is an interpreter that runs no Python. As the reference it notes where it runs and which module it was given;
// as the step it says that one output was compared.
const comparing = `#!/bin/sh
trace=$(sed 's/.*"trace":"\([^"]*\)".*/\1/' "$3")
header='{"ev":"header","t":1,"pid":9,"schema":"gatebot.trace/v1","writer":"harness"}'
case "$(cat "$3")" in
*'"mode":"reference"'*)
	pwd -P > "$NOTES/dir"
	sed 's/.*"entry":"\([^"]*\)".*/\1/' "$3" > "$NOTES/entry"
	cat "$(cat "$NOTES/entry")" > "$NOTES/text"
	sed 's/.*"step":"\([^"]*\)".*/\1/' "$3" > "$NOTES/step"
	printf '%s\n' "$header" '{"ev":"end","t":9,"events":1}' > "$trace" ;;
*'"mode":"eager"'*)
	label=$(sed 's/.*"label":"\([^"]*\)".*/\1/' "$3")
	sed 's/.*"tolerance":\([^}]*\)}.*/\1/' "$3" > "$NOTES/tolerance"
	printf '%s\n' "$header" '{"ev":"measure","t":2,"name":"first_step","unit":"count","value":3}' \
		'{"ev":"measure","t":2,"name":"reference","unit":"count","value":1,"of":"'"$label"'"}' \
		'{"ev":"phase","t":3,"name":"eager","at":"enter"}' \
		'{"ev":"tensor","t":4,"name":"out","role":"reference","against":"'"$label"'","i":3,"shape":[2],"dtype":"torch.float32","bad":1}' \
		'{"ev":"tensor","t":4,"name":"out","role":"output","mode":"eager","i":3,"shape":[2],"dtype":"torch.float32","digest":"sha256:aa"}' \
		'{"ev":"phase","t":5,"name":"eager","at":"exit","status":"ok"}' '{"ev":"end","t":13,"events":7}' > "$trace" ;;
*) printf '%s\n' "$header" '{"ev":"end","t":9,"events":1}' > "$trace" ;;
esac
`

// history is a repository on branch topic: main has a commit "main", topic one more, and the working tree is as edited.
type history struct {
	dir, notes string
	run        func(args ...string) string
}

func newHistory(t *testing.T) *history {
	t.Helper()
	dir, err := filepath.EvalSymlinks(treeWith(t, map[string]string{"m.py": "# main\n" + stepModule, "twin.py": "# twin\n" + stepModule, "pretend": comparing}))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "pretend"), 0o700); err != nil {
		t.Fatal(err)
	}
	h := &history{dir: dir, notes: t.TempDir()}
	h.run = func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		cmd.Env = append(git.CleanEnv(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	rewrite(t, dir, ".gatebot.yaml", "step: {entry: m.py, python: "+filepath.Join(dir, "pretend")+", env: {NOTES: "+h.notes+"}}\n")
	h.run("init", "-q", "-b", "main")
	h.run("add", "-A")
	h.run("commit", "-q", "-m", "main")
	return h
}

func (h *history) commit(t *testing.T, text string) {
	t.Helper()
	rewrite(t, h.dir, "m.py", "# "+text+"\n"+stepModule)
	h.run("commit", "-q", "-a", "-m", text)
}

func (h *history) note(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(h.notes, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(data))
}

func (h *history) check(t *testing.T, r CheckRequest) finding.CheckResult {
	t.Helper()
	r.Dir, r.GPU, r.Only = h.dir, onCard(), []string{finding.CheckReplay}
	run, err := Check(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	return result(run.Results, finding.CheckReplay)
}

// TestBaseReference: the base is the commit that is named, else where the branch left the default branch, else what was
// committed last; its module runs in a copy of its whole tree.
func TestBaseReference(t *testing.T) {
	for name, tc := range map[string]struct {
		prepare func(t *testing.T, h *history)
		base    string
		want    string // first line of the module that ran
	}{
		"a branch": {func(t *testing.T, h *history) {
			h.run("checkout", "-q", "-b", "topic")
			h.commit(t, "topic")
			h.commit(t, "more")
		}, "", "# main"},
		"a branch and a base": {func(t *testing.T, h *history) {
			h.run("checkout", "-q", "-b", "topic")
			h.commit(t, "topic")
			h.commit(t, "more")
		}, "HEAD~1", "# topic"},
		"the branch went on": {func(t *testing.T, h *history) {
			h.run("checkout", "-q", "-b", "topic")
			h.commit(t, "topic")
			h.run("checkout", "-q", "main")
			h.commit(t, "later")
			h.run("checkout", "-q", "topic")
		}, "", "# main"},
		"the default branch": {func(t *testing.T, h *history) { h.commit(t, "second") }, "", "# main"},
		"an edit": {func(t *testing.T, h *history) {
			h.commit(t, "second")
			rewrite(t, h.dir, "m.py", "# edited\n"+stepModule)
		}, "", "# second"},
		"an edit of a kernel": {func(t *testing.T, h *history) {
			rewrite(t, h.dir, "k.cu", "//")
			h.run("add", "k.cu")
			h.commit(t, "second")
			rewrite(t, h.dir, "k.cu", "// new")
		}, "", "# second"},
		"the remote's main branch": {func(t *testing.T, h *history) {
			h.commit(t, "second")
			h.run("update-ref", "refs/remotes/origin/main", "HEAD~1")
			h.commit(t, "third")
		}, "", "# main"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHistory(t)
			tc.prepare(t, h)
			c := h.check(t, CheckRequest{Request: Request{Base: tc.base}, Reference: "base"})
			if c.Status != finding.StatusFail || !strings.Contains(c.Reason, "returns something else than base ") {
				t.Errorf("%s: %s", c.Status, c.Reason)
			}
			if got, _, _ := strings.Cut(h.note(t, "text"), "\n"); got != tc.want {
				t.Errorf("ran %q, want %q", got, tc.want)
			}
			dir := h.note(t, "dir")
			if dir == h.dir || h.note(t, "entry") != filepath.Join(dir, "m.py") {
				t.Errorf("ran %s in %s", h.note(t, "entry"), dir)
			}
			if _, err := os.Stat(dir); !os.IsNotExist(err) {
				t.Errorf("the copy stays behind: %v", err)
			}
			if h.note(t, "tolerance") != `"exact"` {
				t.Errorf("tolerance %s", h.note(t, "tolerance"))
			}
		})
	}
}

func TestFileReference(t *testing.T) {
	h := newHistory(t)
	c := h.check(t, CheckRequest{Reference: "twin.py:decode", Tolerance: "1e-3,0"})
	if c.Status != finding.StatusFail || !strings.Contains(c.Reason, "than twin.py:decode") {
		t.Errorf("%s: %s", c.Status, c.Reason)
	}
	if h.note(t, "entry") != filepath.Join(h.dir, "twin.py") || h.note(t, "step") != "decode" || h.note(t, "dir") != h.dir || h.note(t, "tolerance") != "[0.001,0]" {
		t.Errorf("ran %s:%s in %s, tolerance %s", h.note(t, "entry"), h.note(t, "step"), h.note(t, "dir"), h.note(t, "tolerance"))
	}
}

func TestReferencesThatAreNone(t *testing.T) {
	outside := filepath.Join(treeWith(t, map[string]string{"t.py": stepModule}), "t.py")
	for name, tc := range map[string]struct {
		request CheckRequest
		want    string
	}{
		"outside":        {CheckRequest{Reference: outside}, "outside of"},
		"the step":       {CheckRequest{Reference: "m.py"}, "it is the step module itself"},
		"no such commit": {CheckRequest{Reference: "base"}, "has no parent, and nothing is changed (name the commit with --base)"},
		"not at base":    {CheckRequest{Reference: "base", Entry: "new.py"}, "has no new.py (compare with a file instead"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHistory(t)
			if tc.request.Entry != "" {
				rewrite(t, h.dir, "new.py", stepModule)
				tc.request.Base = "HEAD"
				tc.request.Entry = filepath.Join(h.dir, "new.py")
			}
			if c := h.check(t, tc.request); c.Status != finding.StatusError || !strings.Contains(c.Reason, tc.want) {
				t.Errorf("%s: %s", c.Status, c.Reason)
			}
		})
	}
}

func TestMistakenReferences(t *testing.T) {
	h := newHistory(t)
	for want, r := range map[string]CheckRequest{
		"--reference none.py: no such file (name a module with step, or write base)":                    {Reference: "none.py"},
		`--tolerance: "close" is no tolerance (write exact, dtype, or two numbers: relative, absolute)`: {Reference: "twin.py", Tolerance: "close"},
	} {
		r.Dir, r.GPU = h.dir, onCard()
		var usage *UsageError
		if _, err := Check(t.Context(), r); !errors.As(err, &usage) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
