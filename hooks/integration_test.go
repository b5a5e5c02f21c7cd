package hooks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/git"
)

// The hook managers that the files of integrations/ are for, at the versions they were tried with.
const (
	preCommitVersion = "4.7.0"
	lefthookVersion  = "2.2.2"
	huskyVersion     = "9.1.7"
)

// installLimit bounds one installation of a tool.
const installLimit = 3 * time.Minute

// tools finds real hook managers: those of an earlier run in the user's cache, else they are installed there.
type tools struct {
	dir string
	mu  sync.Mutex
	got map[string]error
}

// openTools gives nil and why when there is no place to put them.
func openTools() (*tools, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	return &tools{dir: filepath.Join(cache, "gatebot-test-tools"), got: map[string]error{}}, nil
}

func (c *tools) venv() string { return filepath.Join(c.dir, "pre-commit-"+preCommitVersion) }
func (c *tools) node() string {
	return filepath.Join(c.dir, "node-lefthook-"+lefthookVersion+"-husky-"+huskyVersion)
}

// path is where a tool's program lies once it is there.
func (c *tools) path(tool string) string {
	if tool == "pre-commit" {
		return filepath.Join(c.venv(), "bin", tool)
	}
	return filepath.Join(c.node(), "node_modules", ".bin", tool)
}

// need makes a tool be there, or says why it cannot be had.
func (c *tools) need(tool string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err, asked := c.got[tool]; asked {
		return err
	}
	err := exec.Command(c.path(tool), "--version").Run()
	if tool == "husky" { // it has no such option and would install itself
		_, err = os.Stat(c.path(tool))
	}
	if err != nil {
		err = c.install(tool)
	}
	c.got[tool] = err
	return err
}

func (c *tools) install(tool string) error {
	if testing.Short() {
		return errors.New("not installed, and -short installs nothing")
	}
	ctx, cancel := context.WithTimeout(context.Background(), installLimit)
	defer cancel()
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return err
	}
	steps := [][]string{{"npm", "install", "--no-audit", "--no-fund", "--prefix", c.node(), "lefthook@" + lefthookVersion, "husky@" + huskyVersion}}
	if tool == "pre-commit" {
		steps = [][]string{{"python3", "-m", "venv", c.venv()},
			{filepath.Join(c.venv(), "bin", "pip"), "install", "-q", "--disable-pip-version-check", "pre-commit==" + preCommitVersion}}
	}
	for _, s := range steps {
		cmd := exec.CommandContext(ctx, s[0], s[1:]...)
		cmd.Env = git.CleanEnv()
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %.300s", s[0], err, out)
		}
	}
	return nil
}

// TestManagersAreTried says loudly which of the integrations were not tried; the scripts of testdata try the others.
func TestManagersAreTried(t *testing.T) {
	c, err := openTools()
	if err != nil {
		t.Skip("NOT TRIED: pre-commit, lefthook, husky: ", err)
	}
	for _, tool := range []string{"pre-commit", "lefthook", "husky"} {
		t.Run(tool, func(t *testing.T) {
			if err := c.need(tool); err != nil {
				t.Skipf("NOT TRIED: %s: %v", tool, err)
			}
		})
	}
}
