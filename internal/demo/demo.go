// Package demo is the scenario behind `gatebot demo`: the whole machine on one computer, with no account and no GPU. It
// makes a repository with a small decode step, starts the GitHub stand-in and gatebot's own server and runner, lets a
// person push and open pull requests, and shows what comes of it. Every expectation is verified; a demo that only
// prints could show success for ever.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gatebot/gatebot/internal/rig"
)

// Options of a demo. Out is required.
type Options struct {
	Out   io.Writer
	Color bool
	Exe   string // gatebot itself; default: this executable
	Keep  bool   // leave everything running at the end, until ctx ends
}

// Run plays the scenario and returns an error when anything is not as it should be. It leaves nothing behind: children
// are ended as process groups and the directory is removed, whatever happened and also when ctx ends early.
func Run(ctx context.Context, o Options) (err error) {
	if o.Exe == "" {
		if o.Exe, err = os.Executable(); err != nil {
			return fmt.Errorf("demo: find gatebot itself: %w", err)
		}
	}
	dir, err := os.MkdirTemp("", "gatebot-demo-")
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	s := &scenario{
		Options: o, dir: dir, print: &printer{out: o.Out, color: o.Color, start: time.Now()},
	}
	defer func() {
		err = errors.Join(err, s.cleanUp())
		if err != nil && ctx.Err() != nil {
			err = fmt.Errorf("demo: interrupted, everything cleaned up: %w", ctx.Err())
		}
	}()
	for _, act := range []func(context.Context) error{
		s.start, s.begin, s.violation, s.repair, s.history, s.hook,
	} {
		if err := act(ctx); err != nil {
			return fmt.Errorf("demo: %w", err)
		}
	}
	s.print.good("done", "%d check runs, %d fixes logged, 1 push refused and 1 accepted", len(s.rig.GitHub.CheckRuns()), s.logged)
	if o.Keep {
		s.keep(ctx)
	}
	return nil
}

// scenario is the state of one demo.
type scenario struct {
	Options
	dir    string
	print  *printer
	rig    *rig.Rig
	clone  *clone
	logged int
}

func (s *scenario) cleanUp() error {
	var err error
	if s.rig != nil {
		err = s.rig.Close()
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

// keep leaves it all running until ctx ends.
func (s *scenario) keep(ctx context.Context) {
	s.print.step("keep", "running until interrupted (Ctrl-C); then all of it is removed")
	s.print.under("pages      " + s.rig.GitHub.URL() + "/")
	s.print.under("git        " + s.rig.Repo.PushURL(s.rig.User))
	s.print.under("clone      " + s.clone.dir + "  (hook installed)")
	s.print.under("logs       " + filepath.Join(s.dir, "*.log"))
	s.print.under("data       " + filepath.Join(s.dir, "data"))
	<-ctx.Done()
}
