package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// workflowStep is one step of action.yml or of a job.
type workflowStep struct {
	ID, If, Uses, Shell, Run string
	WorkingDirectory         string `yaml:"working-directory"`
	Env                      map[string]string
}

// pretendRunner runs the steps of action.yml as a runner of GitHub does: the same shell, files for outputs, summary and PATH, and
// the expressions that are used there.
type pretendRunner struct {
	*testing.T
	dir, actionPath, path string
	inputs                map[string]string
	outputs               map[string]string // "have.yes"
	ran                   []string          // what was used or run, by its first word
	output                bytes.Buffer
}

var expression = regexp.MustCompile(`\$\{\{\s*(.+?)\s*\}\}`)

// value is an expression's; one that nobody thought of fails the test.
func (r *pretendRunner) value(text string) string {
	return expression.ReplaceAllStringFunc(text, func(m string) string {
		name := expression.FindStringSubmatch(m)[1]
		switch {
		case strings.HasPrefix(name, "inputs."):
			v, ok := r.inputs[strings.TrimPrefix(name, "inputs.")]
			if !ok {
				r.Fatalf("action.yml uses %s, which is no input", name)
			}
			return v
		case name == "github.action_path":
			return r.actionPath
		case strings.HasPrefix(name, "steps."):
			return r.outputs[strings.Replace(strings.TrimPrefix(name, "steps."), ".outputs.", ".", 1)]
		}
		r.Fatalf("the pretend runner does not know %s", name)
		return ""
	})
}

// condition knows `a == 'b'`.
func (r *pretendRunner) condition(text string) bool {
	if text == "" {
		return true
	}
	left, right, ok := strings.Cut(text, " == ")
	if !ok {
		r.Fatalf("the pretend runner does not know the condition %q", text)
	}
	return r.value("${{ "+left+" }}") == strings.Trim(right, "'")
}

// run goes through the steps until one fails, and returns its exit code.
func (r *pretendRunner) run(steps []workflowStep, event string) int {
	r.Helper()
	for _, s := range steps {
		if !r.condition(s.If) {
			continue
		}
		if s.Uses != "" {
			r.ran = append(r.ran, s.Uses)
			continue
		}
		r.ran = append(r.ran, strings.Fields(s.Run)[0])
		if code := r.step(s, event); code != 0 {
			return code
		}
	}
	return 0
}

func (r *pretendRunner) step(s workflowStep, event string) int {
	r.Helper()
	temp := r.TempDir()
	file := func(name string) string { return filepath.Join(temp, name) }
	if s.Shell != "bash" {
		r.Fatalf("a step of a composite action needs a shell: %+v", s)
	}
	if err := os.WriteFile(file("step.sh"), []byte(r.value(s.Run)), 0o600); err != nil {
		r.Fatal(err)
	}
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", file("step.sh"))
	cmd.Dir = r.dir
	if s.WorkingDirectory != "" {
		cmd.Dir = r.value(s.WorkingDirectory)
	}
	cmd.Env = []string{"PATH=" + r.path, "HOME=" + r.TempDir(), "GITHUB_ACTIONS=true", "GITHUB_WORKSPACE=" + r.dir, "GITHUB_EVENT_PATH=" + event,
		"GITHUB_ACTION_PATH=" + r.actionPath, "GITHUB_OUTPUT=" + file("output"), "GITHUB_STEP_SUMMARY=" + file("summary"), "GITHUB_PATH=" + file("path"),
		"GIT_CONFIG_NOSYSTEM=1", "XDG_CACHE_HOME=" + r.TempDir()}
	for name, v := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+r.value(v))
	}
	cmd.Stdout, cmd.Stderr = &r.output, &r.output
	err := cmd.Run()
	if added, err := os.ReadFile(file("path")); err == nil {
		r.path = strings.TrimSpace(string(added)) + ":" + r.path
	}
	if text, err := os.ReadFile(file("summary")); err == nil {
		r.output.Write(text)
	}
	outputs, _ := os.ReadFile(file("output")) // a step may have none
	for line := range strings.Lines(string(outputs)) {
		if key, v, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			r.outputs[s.ID+"."+key] = v
		}
	}
	if exit, ok := err.(*exec.ExitError); ok { //nolint:errorlint // as Run returns it
		return exit.ExitCode()
	}
	if err != nil {
		r.Fatal(err)
	}
	return 0
}

func readYAML(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// TestAction runs every step of action.yml for the payload of each event: what the base had does not gate, what is new does,
// and on a runner without gatebot it is built first.
func TestAction(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Inputs  map[string]struct{ Default string }
		Outputs map[string]struct{ Value string }
		Runs    struct{ Steps []workflowStep }
	}
	readYAML(t, filepath.Join(root, "action.yml"), &action)
	gatebot := t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(gatebot, "gatebot")); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		event, head string
		absent      bool // gatebot is not on the runner
		code        int
		verdict     string
		says        string
	}{
		"pull request":        {event: "pull_request", head: "bad", code: 1, verdict: "fail", says: "::error file=n.py,line=5"},
		"clean pull request":  {event: "pull_request", head: "clean", verdict: "pass", says: "### gatebot: pass"},
		"merge group":         {event: "merge_group", head: "bad", code: 1, verdict: "fail", says: "| source | fail | 1 gating finding |"},
		"push":                {event: "push", head: "clean", verdict: "pass", says: "| source | pass |"},
		"push of what is bad": {event: "push", head: "bad", code: 1, verdict: "fail", says: "::error file=n.py,line=5"},
		"new branch":          {event: "push_new_branch", head: "clean", code: 1, verdict: "fail", says: "::error file=m.py,line=5"},
		"nothing installed":   {event: "pull_request", head: "clean", absent: true, verdict: "pass", says: "### gatebot: pass"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			base, head := history(t, dir, tc.head)
			payload, err := os.ReadFile(filepath.Join("testdata", "events", tc.event+".json"))
			if err != nil {
				t.Fatal(err)
			}
			event := filepath.Join(t.TempDir(), "event.json")
			if err := os.WriteFile(event, []byte(strings.NewReplacer("BASE", base, "HEAD", head).Replace(string(payload))), 0o600); err != nil {
				t.Fatal(err)
			}
			r := &pretendRunner{T: t, dir: dir, actionPath: t.TempDir(), path: gatebot + ":" + os.Getenv("PATH"), inputs: map[string]string{}, outputs: map[string]string{}}
			for name, in := range action.Inputs {
				r.inputs[name] = in.Default
			}
			if err := os.Symlink(filepath.Join(root, "integrations"), filepath.Join(r.actionPath, "integrations")); err != nil {
				t.Fatal(err)
			}
			want := []string{"command", "bash"}
			if tc.absent {
				r.path, want = pretendMake(t, r.path, gatebot), []string{"command", "actions/setup-go@v5", "make", "bash"}
			}
			if code := r.run(action.Runs.Steps, event); code != tc.code {
				t.Errorf("exit code %d, want %d", code, tc.code)
			}
			if got := r.value(action.Outputs["verdict"].Value); got != tc.verdict {
				t.Errorf("verdict %q, want %q", got, tc.verdict)
			}
			if strings.Join(r.ran, " ") != strings.Join(want, " ") || !strings.Contains(r.output.String(), tc.says) {
				t.Errorf("ran %v, want %v; want %q in\n%s", r.ran, want, tc.says, &r.output)
			}
			for _, f := range []string{r.inputs["results"], r.inputs["report"]} {
				if info, err := os.Stat(filepath.Join(dir, f)); err != nil || info.Size() == 0 {
					t.Errorf("%s was not written: %v", f, err)
				}
			}
		})
	}
}

// pretendMake is a PATH without gatebot, and with a make that "builds" it where the action looks for it.
func pretendMake(t *testing.T, path, gatebot string) string {
	t.Helper()
	var without []string
	for _, dir := range filepath.SplitList(path) {
		if _, err := os.Stat(filepath.Join(dir, "gatebot")); err != nil {
			without = append(without, dir)
		}
	}
	bin := t.TempDir()
	script := "#!/bin/sh\nmkdir -p bin && ln -s " + filepath.Join(gatebot, "gatebot") + " bin/gatebot\n"
	if err := os.WriteFile(filepath.Join(bin, "make"), []byte(script), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	return bin + ":" + strings.Join(without, ":")
}

// history has a base with a hazard and a head that adds another one, or none.
func history(t *testing.T, dir, head string) (base, tip string) {
	t.Helper()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	commit := func(name, expression string) string {
		text := "import torch\n\n\ndef decode_step(x: torch.Tensor):\n    return " + expression + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		git("add", name)
		git("commit", "-qm", name)
		return git("rev-parse", "HEAD")
	}
	git("init", "-q", "-b", "main", ".")
	base = commit("m.py", "x.max().item()")
	if head == "bad" {
		return base, commit("n.py", "x.sum().item()")
	}
	return base, commit("n.py", "torch.relu(x)")
}

// TestGateJob runs the last job of the reusable workflow for every way in which the other two can have ended. GitHub takes a
// skipped job for a passed one; this job must not.
func TestGateJob(t *testing.T) {
	t.Parallel()
	var workflow struct {
		Jobs map[string]struct{ Steps []workflowStep }
	}
	readYAML(t, "../../.github/workflows/gate.yml", &workflow)
	steps := workflow.Jobs["gate"].Steps
	if len(steps) != 1 {
		t.Fatalf("%d steps", len(steps))
	}
	for _, scan := range []string{"success", "failure", "cancelled", "skipped"} {
		for _, check := range []string{"success", "failure", "cancelled", "skipped"} {
			for _, wanted := range []string{"true", "false"} {
				cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", steps[0].Run)
				cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "SCAN=" + scan, "CHECK=" + check, "WANTED=" + wanted}
				out, err := cmd.CombinedOutput()
				if pass := scan == "success" && (check == "success" || wanted == "false"); pass != (err == nil) {
					t.Errorf("scan %s, check %s, wanted %s: %v\n%s", scan, check, wanted, err, out)
				}
			}
		}
	}
}
