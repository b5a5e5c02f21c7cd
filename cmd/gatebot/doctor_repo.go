package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gatebot/gatebot/hooks"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/doctor"
	"github.com/gatebot/gatebot/internal/git"
)

// place is the repository that the doctor stands in.
type place struct {
	root   string // empty outside of any
	config *config.Config
	broken error // why there is no config although there is a file
}

func openPlace(ctx context.Context, dir string) (*place, error) {
	p := &place{}
	repo, err := git.Open(ctx, dir, git.HookEnv())
	switch {
	case errors.Is(err, git.ErrNotRepository):
		return p, nil
	case err != nil:
		return nil, err
	}
	p.root = repo.Root()
	if err := repo.Close(); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(p.root, config.FileName))
	if errors.Is(err, fs.ErrNotExist) || p.root == "" {
		return p, nil
	}
	if err == nil {
		p.config, err = config.Load(config.FileName, data)
	}
	p.broken = err
	return p, nil
}

// python is the interpreter of the step.
func (p *place) python() string {
	if p.config == nil {
		return config.Default().Step.Python
	}
	return p.config.Step.Python
}

func (p *place) checks() doctor.Registry {
	return doctor.Registry{
		{Name: "git", About: "git is there, and this is a repository", Run: p.git},
		{Name: "config", About: "the configuration is understood", Needs: []string{"git"}, Run: p.configured},
		{Name: "step", About: "the step module and its interpreter are there", Needs: []string{"config"}, Run: p.step},
		{Name: "hook", About: "the pre-push hook is installed", Needs: []string{"git"}, Run: p.hook},
	}
}

func (p *place) git(ctx context.Context) doctor.Outcome {
	out, err := exec.CommandContext(ctx, "git", "version").Output()
	if err != nil {
		return doctor.Failed("install git", "git: %v", err)
	}
	version := strings.TrimPrefix(strings.TrimSpace(string(out)), "git version ")
	if p.root == "" {
		return doctor.None("git %s; this is no repository", version)
	}
	return doctor.Good("git %s, %s", version, p.root)
}

func (p *place) configured(context.Context) doctor.Outcome {
	switch {
	case p.broken != nil:
		do := "mend the file; gatebot schema has its form"
		if _, ok := configError(p.broken); !ok {
			do = "see why it cannot be read"
		}
		return doctor.Failed(do, "%v", p.broken)
	case p.config == nil:
		return doctor.Warned("gatebot init writes one", "no %s: the defaults hold", config.FileName)
	}
	return doctor.Good("%s", config.FileName)
}

func (p *place) step(context.Context) doctor.Outcome {
	if p.config == nil || p.config.Step.Entry == "" {
		return doctor.None("the configuration names no step module (step.entry)")
	}
	entry := p.config.Step.Entry
	if info, err := os.Stat(filepath.Join(p.root, filepath.FromSlash(entry))); err != nil || !info.Mode().IsRegular() {
		return doctor.Failed("write it, with build(device) and step(state, i), or mend step.entry", "step.entry %s: no such file", entry)
	}
	if _, err := exec.LookPath(p.python()); err != nil {
		return doctor.Failed("mend step.python: the interpreter that has torch", "step.python: %v", err)
	}
	return doctor.Good("%s, run by %s", entry, p.python())
}

func (p *place) hook(ctx context.Context) doctor.Outcome {
	exe, err := os.Executable()
	if err != nil {
		return doctor.Broken("", "%v", err)
	}
	st, err := hooks.Status(ctx, p.root, exe)
	switch {
	case err != nil:
		return doctor.Failed("see gatebot hook status", "%v", err)
	case st.Installed && st.Program == "":
		return doctor.Failed("put gatebot on PATH, or install the hook again", "%s finds no gatebot to run: pushes go through unchecked", st.Hook)
	case st.Installed && !st.Current:
		return doctor.Warned("gatebot hook install renews it", "%s is of another version", st.Hook)
	case st.Installed:
		return doctor.Good("%s runs %s", st.Hook, st.Program)
	case st.Other:
		return doctor.Warned("gatebot hook install keeps it and runs first", "%s is another program's", st.Hook)
	}
	return doctor.Warned("gatebot hook install", "not installed: pushes go through unchecked")
}
