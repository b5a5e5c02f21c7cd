package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// child is one of gatebot's own processes, in a process group of its own so that it can be ended with all that it
// started.
type child struct {
	name string
	log  string // file with its stdout and stderr
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
	err  error         // how, valid after done
}

// start runs exe with args; output goes to NAME.log in dir.
func start(exe, name, dir string, env []string, args ...string) (*child, error) {
	c := &child{name: name, log: filepath.Join(dir, name+".log"), done: make(chan struct{})}
	out, err := os.OpenFile(c.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	// Not CommandContext: ending a child is stop's business, as a group and in order.
	c.cmd = exec.Command(exe, args...)
	c.cmd.Dir, c.cmd.Stdout, c.cmd.Stderr = dir, out, out
	c.cmd.Env = append(os.Environ(), env...)
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", name, err), out.Close())
	}
	go func() {
		c.err = c.cmd.Wait()
		_ = out.Close() // the process has its own handle; nothing of ours was written
		close(c.done)
	}()
	return c, nil
}

// grace is how long a child may take to end by itself.
const grace = 5 * time.Second

// stop ends the process group: politely, then for certain.
func (c *child) stop() {
	group := -c.cmd.Process.Pid
	// An error means that the group is gone already, which is what we want.
	_ = syscall.Kill(group, syscall.SIGTERM)
	select {
	case <-c.done:
	case <-time.After(grace):
	}
	_ = syscall.Kill(group, syscall.SIGKILL)
	<-c.done
}

// dead says why a child that should run does not.
func (c *child) dead() error {
	select {
	case <-c.done:
		return fmt.Errorf("%s ended by itself (%w): %s", c.name, errOr(c.err, "exit 0"), c.tail(3))
	default:
		return nil
	}
}

func errOr(err error, text string) error {
	if err != nil {
		return err
	}
	return errors.New(text)
}

// tail is the last lines of the child's log.
func (c *child) tail(n int) string {
	data, err := os.ReadFile(c.log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], " / ")
}

// group is all the children, to be stopped in the reverse order of their start.
type group struct {
	mu       sync.Mutex
	children []*child
}

func (g *group) add(c *child) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.children = append(g.children, c)
}

func (g *group) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := len(g.children) - 1; i >= 0; i-- {
		g.children[i].stop()
	}
	g.children = nil
}

func (g *group) dead() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.children {
		if err := c.dead(); err != nil {
			return err
		}
	}
	return nil
}

// poll is how often a condition is looked at.
const poll = 20 * time.Millisecond

// until waits for a condition, for ctx, or for a child to die, whichever comes first.
func (g *group) until(ctx context.Context, what string, within time.Duration, ok func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for !ok() {
		if err := g.dead(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return fmt.Errorf("%s: did not happen within %s", what, within)
			}
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}
