package rig

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Child is one of gatebot's own processes, in a process group of its own so that it can be ended with all that it
// started.
type Child struct {
	Name string
	Log  string // file with its stdout and stderr
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
	err  error         // how, valid after done
}

// Start runs exe with args; output goes to NAME.log in dir.
func Start(exe, name, dir string, env []string, args ...string) (*Child, error) {
	c := &Child{Name: name, Log: filepath.Join(dir, name+".log"), done: make(chan struct{})}
	out, err := os.OpenFile(c.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	// Not CommandContext: ending a child is Stop's business, as a group and in order.
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

// Stop ends the process group: politely, then for certain.
func (c *Child) Stop() {
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

// Dead says why a child that should run does not.
func (c *Child) Dead() error {
	select {
	case <-c.done:
		return fmt.Errorf("%s ended by itself (%w): %s", c.Name, errOr(c.err, "exit 0"), c.Tail(3))
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

// Tail is the last lines of the child's log.
func (c *Child) Tail(n int) string {
	data, err := os.ReadFile(c.Log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], " / ")
}

// Group is all the children, to be stopped in the reverse order of their start.
type Group struct {
	mu       sync.Mutex
	children []*Child
}

// Add puts a child into the group.
func (g *Group) Add(c *Child) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.children = append(g.children, c)
}

// Remove takes a child out, such as one that was killed on purpose.
func (g *Group) Remove(c *Child) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.children = slices.DeleteFunc(g.children, func(other *Child) bool { return other == c })
}

// Stop stops every child, the last started first.
func (g *Group) Stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := len(g.children) - 1; i >= 0; i-- {
		g.children[i].Stop()
	}
	g.children = nil
}

// Dead says which child has ended by itself, if any.
func (g *Group) Dead() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.children {
		if err := c.Dead(); err != nil {
			return err
		}
	}
	return nil
}

// poll is how often a condition is looked at.
const poll = 20 * time.Millisecond

// Until waits for a condition, for ctx, or for a child to die, whichever comes first.
func (g *Group) Until(ctx context.Context, what string, within time.Duration, ok func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for !ok() {
		if err := g.Dead(); err != nil {
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

// Kill ends the process alone, as kill -9 does: what it started is left behind.
func (c *Child) Kill() {
	// An error means that it is gone already, which is what we want.
	_ = syscall.Kill(c.cmd.Process.Pid, syscall.SIGKILL)
	<-c.done
}
