package harness

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// confine makes cmd start through Wrap: it may write to the folder of this run, sees root, which is the repository or a
// copy of an earlier commit, and our Python side, and is told what else by whoever made Wrap.
func (d *driver) confine(cmd *exec.Cmd, root string) {
	if len(d.Wrap) == 0 {
		return
	}
	args := slices.Concat(d.Wrap, []string{"--see", root, "--write", d.dir, "--see", filepath.Dir(d.script)})
	if d.Probe != "" {
		args = append(args, "--see", d.Probe)
	}
	args = slices.Concat(args, []string{"--"}, cmd.Args)
	cmd.Path, cmd.Args, cmd.Err = d.Wrap[0], args, nil
}

// writeNew writes a file that must not be there yet. What was written by an earlier process of the step is a stranger's:
// a link under this name would lead us anywhere.
func writeNew(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already: the step module wrote into the harness's own folder", filepath.Base(name))
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// plain refuses a trace that is not a file of its own: the step's process could have put a link there to anything that
// we can read.
func plain(name string) error {
	info, err := os.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", filepath.Base(name))
	}
	return err
}
