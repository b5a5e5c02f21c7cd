package demo

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gatebot/gatebot/examples/dsv4"
)

// change is one commit of the demo: one of the nine violations of the example put in, or taken out again, or a line that
// is none.
type change struct {
	message string
	row     string // name of the row of the example's fix log whose patch is applied
	undo    bool   // the patch is taken out
	edit    *edit
}

// edit replaces a text of one file.
type edit struct{ path, old, new string }

// The pull request is the first row of the first user's fix log; two other rows come into main past the gate and are fixed
// there; the hook stops a fourth.
var (
	plant      = change{row: "01-mhc-item"}
	repair     = change{row: "01-mhc-item", undo: true}
	rebase     = change{row: "05-conditional-read"}
	count      = change{row: "06-bincount"}
	fixRebase  = change{row: "05-conditional-read", undo: true}
	fixCount   = change{row: "06-bincount", undo: true}
	badPush    = change{row: "03-token-transfer"}
	goodChange = edit{"dsv4/router.py", "        self.ids_buf.copy_(chosen)\n", "        self.ids_buf.copy_(chosen)  # read again by the experts\n"}
	goodPush   = change{message: "Say who reads the ids", edit: &goodChange}
)

// place is a line that a hazard was planted on.
type place struct {
	path string
	line int
}

func (p place) String() string { return fmt.Sprintf("%s:%d", p.path, p.line) }

// apply makes the change in dir and returns its message and the places it planted hazards on.
func (c change) apply(ctx context.Context, dir string) (message string, planted []place, err error) {
	if c.edit != nil {
		return c.message, nil, c.edit.apply(dir)
	}
	rows, err := dsv4.Rows()
	if err != nil {
		return "", nil, err
	}
	for _, r := range rows {
		if r.Name != c.row {
			continue
		}
		args := []string{"apply"}
		if c.undo {
			message, args = r.Fix, append(args, "-R")
		} else {
			message = r.Bad
			for _, p := range r.Found {
				planted = append(planted, place{p.Path, p.Line})
			}
		}
		cmd := exec.CommandContext(ctx, "git", append(args, "-")...)
		cmd.Dir, cmd.Stdin = dir, bytes.NewReader(r.Patch)
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", nil, fmt.Errorf("demo: %s does not fit: %w: %s", c.row, err, out)
		}
		return message, planted, nil
	}
	return "", nil, fmt.Errorf("demo: the example has no row %q", c.row)
}

func (e *edit) apply(dir string) error {
	file := filepath.Join(dir, filepath.FromSlash(e.path))
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, after, ok := strings.Cut(string(data), e.old)
	if !ok {
		return fmt.Errorf("demo: %s does not hold the text to change", e.path)
	}
	return os.WriteFile(file, []byte(before+e.new+after), 0o644)
}
