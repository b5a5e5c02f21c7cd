package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A fence of the documentation says in its info string what is to be done with it:
//
//	sh run            executed, in the document's folder, after the fences before it; "exit=1" says how it ends
//	sh needs-gpu      commands that need a GPU host, sh needs-github an account or a server that GitHub reaches, sh ci
//	                  what .ci/run itself runs
//	LANG file=NAME    written to that file
//	text output       lines that the fence before it printed
//	anything else     only shown: output, snippets; it may not be sh
//
// A comment that begins with setup is executed too: it makes what the commands below it take for granted.
var fence = regexp.MustCompile("(?ms)^(?:```([^\n`]*)\n(.*?)^```\\s*$|<!-- setup\n(.*?)-->)")

var documents = []string{"README.md", "docs/*.md", "python/README.md", "integrations/README.md"}

// TestDocumentation runs every command that the documentation shows, as a reader would: in order, in an empty folder.
func TestDocumentation(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, pattern := range documents {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	if len(names) < 6 {
		t.Fatalf("%d documents: the test looks in the wrong place", len(names))
	}
	for _, name := range names {
		rel, err := filepath.Rel(root, name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(rel, func(t *testing.T) { document(t, root, name) })
	}
}

func document(t *testing.T, root, name string) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	printed := ""
	for _, m := range fence.FindAllSubmatchIndex(text, -1) {
		line := 1 + bytes.Count(text[:m[0]], []byte("\n"))
		if m[6] >= 0 {
			shell(t, root, dir, line, string(text[m[6]:m[7]]), nil)
			continue
		}
		words := strings.Fields(string(text[m[2]:m[3]]))
		body := text[m[4]:m[5]]
		lang, tags := "", words
		if len(words) > 0 {
			lang, tags = words[0], words[1:]
		}
		if file, ok := tagged(tags, "file="); ok {
			p := filepath.Join(dir, filepath.FromSlash(file))
			if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(p, body, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		switch {
		case slices.Contains(tags, "run"):
			printed = shell(t, root, dir, line, string(body), tags)
		case slices.Contains(tags, "output"):
			if !strings.Contains(printed, string(body)) {
				t.Errorf("line %d: this was not printed:\n%s\nbut this:\n%s", line, body, printed)
			}
		case lang == "sh" && !slices.ContainsFunc(tags, func(tag string) bool { return tag == "needs-gpu" || tag == "needs-github" || tag == "ci" }):
			t.Errorf("line %d: a fence of commands is neither run nor marked needs-gpu, needs-github or ci", line)
		}
	}
}

func tagged(tags []string, prefix string) (string, bool) {
	for _, tag := range tags {
		if v, ok := strings.CutPrefix(tag, prefix); ok {
			return v, true
		}
	}
	return "", false
}

// shell runs a fence with the gatebot of this test in PATH, and gives what it printed.
func shell(t *testing.T, root, dir string, line int, body string, tags []string) (printed string) {
	t.Helper()
	want := 0
	if v, ok := tagged(tags, "exit="); ok {
		n, err := strconv.Atoi(v)
		if err != nil {
			t.Fatalf("line %d: exit=%s", line, v)
		}
		want = n
	}
	c := exec.Command("bash", "-e", "-u", "-o", "pipefail", "-c", body)
	c.Dir = dir
	c.Env = append(os.Environ(), "GATEBOT_SOURCE="+root, "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com",
		"PATH="+binDir(t)+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := c.CombinedOutput()
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatalf("line %d: %v", line, err)
	}
	if code != want {
		t.Errorf("line %d: ended with %d, want %d:\n%s\n%s", line, code, want, body, out)
	}
	return string(out)
}

// binDir has a gatebot in it: this test's own program, which testscript's Main turns into the command.
func binDir(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(exe, filepath.Join(dir, "gatebot")); err != nil {
		t.Fatal(err)
	}
	return dir
}
