package harness

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
)

// words splits step.launch. It is no shell.
func words(launch string) ([]string, error) {
	if strings.ContainsAny(launch, "\"'\\$`|&;<>") {
		return nil, errors.New("step.launch: quotes and shell characters are not understood (write plain words, or name a script)")
	}
	return strings.Fields(launch), nil
}

// command is what starts one process of the harness, or its ranks. torchrun starts Python itself, and the one that it
// belongs to; with step.python it is that interpreter's. Other launchers are given the interpreter.
func (d *driver) command(cfg string) []string {
	interpreter := d.Python
	if interpreter == "" {
		interpreter = "python3"
	}
	run := []string{d.script, cfg}
	switch {
	case len(d.launcher) == 0:
		return append([]string{interpreter, "-u"}, run...)
	case filepath.Base(d.launcher[0]) == "torchrun" && d.Python != "":
		return slices.Concat([]string{interpreter, "-m", "torch.distributed.run"}, d.launcher[1:], run)
	case d.torchrun():
		return slices.Concat(d.launcher, run)
	}
	return slices.Concat(d.launcher, []string{interpreter, "-u"}, run)
}

func (d *driver) torchrun() bool {
	return len(d.launcher) > 0 && (filepath.Base(d.launcher[0]) == "torchrun" || slices.Contains(d.launcher, "torch.distributed.run"))
}

// launchEnv is for the launcher. Without an address of its own torchrun takes a fixed port, on which two checks of one
// host would meet.
func (d *driver) launchEnv() []string {
	env := []string{"PYTHONUNBUFFERED=1"}
	told := slices.ContainsFunc(d.launcher, func(w string) bool {
		w = strings.ReplaceAll(strings.TrimLeft(w, "-"), "_", "-")
		return strings.HasPrefix(w, "rdzv-") || strings.HasPrefix(w, "master-") || strings.HasPrefix(w, "nnodes") || w == "standalone"
	})
	if d.torchrun() && !told {
		env = append(env, "PET_STANDALONE=1")
	}
	return env
}
