package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/checks/registry"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/gate"
	"github.com/gatebot/gatebot/internal/verdict"
)

type scanOptions struct {
	gate.Request
	format, output, failOn string
	explain                string
	all                    bool
}

const longScan = `Reads the source and reports what would keep a CUDA graph from capturing or replaying the decode step.

Scans the working tree by default, a commit's tree with --rev, the index with --staged, and with --range only what is
new in B against A. With no configuration the hot path is what is reachable from functions named forward, backward,
decode*, *_step, step, from __call__ and forward_* of a module class, and from what serving engines run in every step:
builders of metadata (build), runners (execute_model, _prepare*), samplers, proposers, planners and attention backends.
A function that takes tensors and that nothing mentions is looked at too; what only it reaches is possible and does
not gate. hot_path.roots in the configuration replaces all of this.`

func newScan(s streams) *cobra.Command {
	o := &scanOptions{}
	c := &cobra.Command{
		Use:   "scan [PATH...]",
		Short: "Find capture hazards in source, without a GPU",
		Long:  longScan,
		RunE: func(c *cobra.Command, args []string) error {
			o.Dir, o.Paths = ".", args
			if o.explain != "" {
				return runExplain(c.Context(), o, s)
			}
			return runScan(c.Context(), o, s)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Rev, "rev", "", "scan this commit's tree")
	f.StringVar(&o.Range, "range", "", "`A..B`: scan B, report what A does not have")
	f.BoolVar(&o.Staged, "staged", false, "scan the index")
	addGateFlags(c, &o.Request, &o.failOn)
	f.StringVar(&o.format, "format", "text", "text, json, sarif, junit or github")
	f.StringVar(&o.explain, "explain", "", "say whether the line `PATH:LINE` is hot, why, and what each value on it is taken for")
	f.StringVarP(&o.output, "output", "o", "", "write to this `file` instead of the terminal")
	f.BoolVar(&o.all, "all", false, "also print suppressed and possible findings and infos (text)")
	return c
}

// addGateFlags adds what scan and check have in common.
func addGateFlags(c *cobra.Command, r *gate.Request, failOn *string) {
	f := c.Flags()
	f.StringVar(&r.ConfigFile, "config", "", "configuration `file` (default: the .gatebot.yaml of the scanned tree)")
	f.StringVar(&r.Base, "base", "", "`commit` whose findings are known and do not gate")
	f.StringVar(&r.Baseline, "baseline", "", "`file` of known findings that do not gate")
	f.BoolVar(&r.Write, "write-baseline", false, "write the --baseline file from this run")
	f.StringVar(failOn, "fail-on", "error", "least severity that gates: error or warn")
	f.BoolVar(&r.AllFunctions, "all-functions", false, "treat every function as hot")
	f.BoolVar(&r.NoCache, "no-cache", false, "look at every file again and remember nothing")
}

func runScan(ctx context.Context, o *scanOptions, s streams) error {
	o.FailOn = finding.Severity(o.failOn)
	render, ok := formats[o.format]
	if !ok {
		return usagef("--format %q is none of text, json, sarif, junit, github", o.format)
	}
	run, err := gate.Scan(ctx, o.Request)
	if err != nil {
		return commandError(err)
	}
	defer func() { _ = run.Close() }() // only readers end with it
	notes(s.err, run.Notes)
	if err := writeTo(o.output, s.out, func(w io.Writer) error { return render(w, run, o.all) }); err != nil {
		return err
	}
	return outcome(run.Results)
}

// formats renders results; the key is what --format takes.
var formats = map[string]func(w io.Writer, run *gate.Run, all bool) error{
	"text": func(w io.Writer, run *gate.Run, all bool) error {
		return finding.Text{Color: color(w), Read: run.Read, All: all}.Write(w, run.Results)
	},
	"json":   func(w io.Writer, run *gate.Run, _ bool) error { return run.Results.Write(w) },
	"github": func(w io.Writer, run *gate.Run, _ bool) error { return finding.WriteGitHub(w, run.Results) },
	"junit":  func(w io.Writer, run *gate.Run, _ bool) error { return finding.WriteJUnit(w, run.Results, run.FailOn) },
	"sarif":  func(w io.Writer, run *gate.Run, _ bool) error { return finding.WriteSARIF(w, run.Results, ruleInfo()) },
}

func ruleInfo() []finding.RuleInfo {
	var out []finding.RuleInfo
	for _, r := range registry.Rules {
		out = append(out, finding.RuleInfo{ID: r.ID, Name: r.Name, Title: r.Title, Text: r.Text, Fix: r.Fix, Severity: r.Severity})
	}
	return out
}

// outcome turns a verdict into the error that carries its exit code.
func outcome(r *finding.Results) error {
	code := verdict.ExitCode(r.Verdict)
	switch code {
	case exitClean:
		return nil
	case exitFindings:
		return &exitError{code: exitFindings} // the findings have said it
	}
	return &exitError{code: code, err: fmt.Errorf("no verdict: %s", join(r.Reasons))}
}

func join(reasons []string) string {
	var b bytes.Buffer
	for i, r := range reasons {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(r)
	}
	return b.String()
}

// commandError maps the errors of the gate to exit codes.
func commandError(err error) error {
	var ue *gate.UsageError
	if errors.As(err, &ue) {
		return &exitError{code: exitUsage, err: err}
	}
	return err
}

func notes(w io.Writer, lines []string) {
	for _, n := range lines {
		_, _ = fmt.Fprintf(w, "gatebot: note: %s\n", n)
	}
}

// writeTo writes to the named file, or to out when there is no name. A file is complete or not there.
func writeTo(name string, out io.Writer, render func(io.Writer) error) error {
	if name == "" || name == "-" {
		return render(out)
	}
	var b bytes.Buffer
	if err := render(&b); err != nil {
		return err
	}
	if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	return nil
}
