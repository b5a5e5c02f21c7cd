package runner

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/bundle"
	"github.com/gatebot/gatebot/internal/queue"
)

// exitUsage is gatebot's own code for what was asked for wrongly.
const exitUsage = 2

// attempt runs the job in a fresh directory. An error means that there is no state to report: ctx ended, or this machine
// cannot even make a directory.
func (f *firing) attempt(ctx context.Context) (*queue.FireState, error) {
	infra := func(err error) (*queue.FireState, error) {
		if stopping(ctx) {
			return nil, ctx.Err()
		}
		return &queue.FireState{Class: queue.ClassInfra, Reason: err.Error()}, nil
	}
	if want := queue.FireBundleName(f.pool, f.client, f.job.ID); f.job.Bundle.Name != want {
		return infra(fmt.Errorf("the job names the bundle %.80q, which is not its own", f.job.Bundle.Name))
	}
	dir, done, err := f.place()
	if err != nil {
		return nil, err
	}
	defer done()
	if err := f.checkout(ctx, f.job.ID, f.job.Bundle, bundle.Want{Head: f.job.Head, Tree: f.job.Tree, Base: f.job.Base}, dir); err != nil {
		return infra(err)
	}
	box, err := f.box(dir)
	if err != nil {
		return infra(err)
	}
	c := child{dir: filepath.Join(dir, "tree"), attempt: dir, env: f.childEnv(dir), limit: f.limit(f.job.Timeout), box: box}
	results := filepath.Join(dir, "out", "results.json")
	if f.job.Script == "" {
		f.checkCommand(&c, results)
	} else if why := f.scriptCommand(&c); why != "" {
		return &queue.FireState{Class: queue.ClassVerdict, Code: exitUsage, Reason: why}, box.end(ctx)
	}
	says := f.report(ctx, dir, f.MaxLog)
	c.tee = says.stream.write
	end, err := f.runChild(ctx, c)
	f.pieces = says.close(ctx)
	if err != nil || ctx.Err() != nil || end.signal != "" && stopping(ctx) {
		return infra(err)
	}
	return f.outcome(end, results, c), nil
}

func (f *firing) outcome(end ended, results string, c child) *queue.FireState {
	s := &queue.FireState{Class: queue.ClassVerdict, Code: end.code, Reason: end.remark}
	switch {
	case end.why != "":
		s.Class, s.Reason = queue.ClassInfra, end.why
	case end.timedOut:
		s.Class, s.Reason = queue.ClassTimeout, fmt.Sprintf("time limit of %s reached", c.limit)
	case end.signal != "":
		s.Class, s.Reason = queue.ClassInfra, strings.TrimSuffix("ended by signal "+end.signal+"; "+end.remark, "; ")
	case f.job.Script == "":
		res := &queue.Result{}
		judge(res, f.job.Head, f.job.Tree, end, results)
		s.Class, s.Results = res.Class, res.Results
		if s.Class != queue.ClassVerdict {
			s.Reason = res.Reason
		}
	}
	return s
}

// checkCommand is gatebot check with the configuration of the tree itself: the developer's own gate.
func (f *firing) checkCommand(c *child, results string) {
	c.exe = f.Executable
	c.args = []string{"check", "--rev", f.job.Head, "--results", results, "--require-gpu", "--timeout", (c.limit + 2*f.Grace).String(),
		"--progress", progressFile(c.attempt)}
	if len(f.job.Only) > 0 {
		c.args = append(c.args, "--only", strings.Join(f.job.Only, ","))
	}
	if f.job.Base != "" {
		c.args = append(c.args, "--base", f.job.Base)
	}
	if c.box.spec != "" {
		c.args = append(c.args, "--confine", c.box.spec)
	}
}

// scriptCommand is the script, inside the sandbox when there is one, with its tree writable. It returns why it cannot be run.
func (f *firing) scriptCommand(c *child) string {
	argv, why := f.interpreter(c.dir)
	if why != "" {
		return why
	}
	argv = append(argv, f.job.Args...)
	if c.box.spec != "" {
		argv = slices.Concat(f.Wrapper, []string{"--write", c.dir, c.box.spec, "--"}, argv)
	}
	c.exe, c.args = argv[0], argv[1:]
	return ""
}

// interpreter chooses by what the script says of itself, then by its name.
func (f *firing) interpreter(tree string) (argv []string, why string) {
	name := f.job.Script
	if !filepath.IsLocal(name) {
		return nil, fmt.Sprintf("script %q does not lie in the tree", name)
	}
	path := filepath.Join(tree, name)
	root, err := os.OpenRoot(tree)
	if err != nil {
		return nil, err.Error()
	}
	defer func() { _ = root.Close() }()
	info, err := root.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Sprintf("script %s is no file of the tree that was sent (is it ignored by git?)", name)
	}
	first, err := root.ReadFile(name)
	if err != nil {
		return nil, err.Error()
	}
	python := f.Python
	if python == "" {
		python = "python3"
	}
	switch ext := filepath.Ext(name); {
	case ext == ".py":
		return []string{python, "-u", path}, ""
	case info.Mode()&0o111 != 0 && (bytes.HasPrefix(first, []byte("#!")) || bytes.HasPrefix(first, []byte("\x7fELF"))):
		return []string{path}, ""
	case ext == ".sh":
		return []string{"/bin/sh", path}, ""
	}
	return nil, fmt.Sprintf("script %s: not known how to run it (name it .py or .sh, or make it executable with a #! line)", name)
}
