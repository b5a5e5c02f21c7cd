package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/report"
	"github.com/gatebot/gatebot/internal/trace"
)

type reportOptions struct {
	output, root, traceRoot, title string
}

const longReport = `Writes a results file, and the traces of its run when they are named, as one HTML page that loads nothing: verdict and
why, regions against checks, the time line of a step, each finding with its code and its evidence, times and allocations.

The lines around a finding are read from the working tree (--root); a file that has changed since shows other lines.`

func newReport(s streams) *cobra.Command {
	o := &reportOptions{}
	c := &cobra.Command{
		Use:   "report RESULTS [TRACE...]",
		Short: "Write a results file as one HTML page",
		Long:  longReport,
		Args:  cobra.MinimumNArgs(1),
		RunE:  func(_ *cobra.Command, args []string) error { return o.run(args[0], args[1:], s) },
	}
	f := c.Flags()
	f.StringVarP(&o.output, "output", "o", "gatebot-report.html", "write to this `file`; - is the terminal")
	f.StringVar(&o.root, "root", "", "root `folder` of the sources (default: of the repository around here)")
	f.StringVar(&o.traceRoot, "trace-root", "", "`folder` that was the root when the traces were recorded (default: --root)")
	f.StringVar(&o.title, "title", "", "name of the project (default: that of the root folder)")
	return c
}

func (o *reportOptions) run(results string, traces []string, s streams) error {
	data, err := os.ReadFile(results)
	if err != nil {
		return &exitError{code: exitUsage, err: fmt.Errorf("report: %w (name a results file of gatebot check or scan)", err)}
	}
	r, err := finding.Read(data)
	if err != nil {
		return &exitError{code: exitUsage, err: fmt.Errorf("report: %s: %w", results, err)}
	}
	root, err := repository(o.root)
	if err != nil {
		return err
	}
	tree, err := os.OpenRoot(root) // a results file from elsewhere must not make us read /etc
	if err != nil {
		return &exitError{code: exitUsage, err: fmt.Errorf("report: --root: %w", err)}
	}
	defer func() { _ = tree.Close() }() // only readers end with it
	in := report.Input{Results: r, Root: o.traceRoot, Title: o.title, Read: func(path string) ([]byte, error) {
		return tree.ReadFile(filepath.FromSlash(path))
	}}
	if in.Root == "" {
		in.Root = root
	}
	if in.Title == "" {
		in.Title = filepath.Base(root)
	}
	if info, err := os.Stat(results); err == nil {
		in.When = info.ModTime()
	}
	if len(traces) > 0 {
		if in.Trace, err = trace.Load(traces...); err != nil {
			return err
		}
	}
	return writeTo(o.output, s.out, func(w io.Writer) error { return report.Render(w, report.Build(in)) })
}
