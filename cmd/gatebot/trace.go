package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/checks/calls"
	"github.com/gatebot/gatebot/gpu/probe"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/gate"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/trace"
)

func newTrace(s streams) *cobra.Command {
	return group("trace", "Look at recorded traces", newTraceDump(s), newTraceVerdict(s), newTraceExport(s))
}

const longTraceDump = `Prints the events of one recorded run, in order of time: ms since the first, process and thread, region, kind, and what it
was. A folder stands for the trace files in it, such as the one that gatebot probe --trace wrote.

  gatebot trace dump --region step --kind api run/`

func newTraceDump(s streams) *cobra.Command {
	var o probe.DumpOptions
	var kinds []string
	c := &cobra.Command{
		Use:   "dump FILE...",
		Short: "Print the events of one run, in order of time",
		Long:  longTraceDump,
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			for _, k := range kinds {
				if !slices.Contains(trace.Kinds, trace.Kind(k)) {
					return usagef("--kind %q is none of %v", k, trace.Kinds)
				}
				o.Kinds = append(o.Kinds, trace.Kind(k))
			}
			t, err := loadTraces(args)
			if err != nil {
				return err
			}
			return probe.Dump(s.out, t, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Region, "region", "", "only what happened inside this region: `name`")
	f.StringSliceVar(&kinds, "kind", nil, "only events of these `kinds`, such as api,launch")
	f.BoolVar(&o.Wide, "wide", false, "whole names of kernels")
	return c
}

// loadTraces loads the files of one run. A folder stands for the trace files in it; a file that is named twice would count
// twice.
func loadTraces(args []string) (*trace.Trace, error) {
	var files []string
	for _, name := range args {
		info, err := os.Stat(name)
		if err != nil {
			return nil, fmt.Errorf("trace: %w", err)
		}
		if !info.IsDir() {
			files = append(files, filepath.Clean(name))
			continue
		}
		found, err := probe.Files(name)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, usagef("trace: %s holds no trace-*.ndjson", name)
		}
		files = append(files, found...)
	}
	slices.Sort(files)
	for i := 1; i < len(files); i++ {
		if files[i] == files[i-1] {
			return nil, usagef("trace: %s is named twice", files[i])
		}
	}
	return trace.Load(files...)
}

const longTraceVerdict = `Judges the files of one recorded run as gatebot probe does. All files of the run have to be named, or the folder
they lie in: a trace that is not whole, which one without its end event is, has no verdict and exits 3.`

func newTraceVerdict(s streams) *cobra.Command {
	o := &judgeOptions{}
	c := &cobra.Command{
		Use:   "verdict FILE...",
		Short: "Judge one recorded run",
		Long:  longTraceVerdict,
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			t, err := loadTraces(args)
			if err != nil {
				return err
			}
			return o.judge(t, probe.Ended{}, s)
		},
	}
	o.flags(c)
	return c
}

// judge prints the results of a run and gives the error that carries its exit code.
func (o *judgeOptions) judge(t *trace.Trace, end probe.Ended, s streams) error {
	root, err := repository(o.root)
	if err != nil {
		return err
	}
	scope := calls.Scope{Root: root, Regions: o.regions, Warmup: o.warmup}
	r := probe.Results(t, scope, finding.Severity(o.failOn), end)
	r.Tool = gate.Tool()
	if o.results != "" {
		if err := writeTo(o.results, s.out, r.Write); err != nil {
			return err
		}
	}
	if o.results != "-" { // else the terminal has the results already
		run := &gate.Run{Results: r, Read: func(path string) ([]byte, error) {
			return os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
		}}
		if err := formats[o.format](s.out, run, o.all); err != nil {
			return err
		}
		if o.format == "text" {
			if err := checkTable(s.out, r); err != nil {
				return err
			}
		}
	}
	return outcome(r)
}

// repository is the root of the repository around dir (here, when it is empty), or dir itself outside of any.
func repository(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	repo, err := git.Open(context.Background(), dir, git.HookEnv())
	switch {
	case errors.Is(err, git.ErrNotRepository):
		return dir, nil
	case err != nil:
		return "", err
	}
	if root := repo.Root(); root != "" {
		dir = root
	}
	return dir, repo.Close()
}
