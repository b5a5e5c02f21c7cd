package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/gate"
	"github.com/gatebot/gatebot/internal/report"
)

// defaultResults is where the first user's tools look for the results of a check.
const defaultResults = "cuda_graph_readiness_results.json"

type checkOptions struct {
	gate.CheckRequest
	failOn, results, format, report, confine, progress string
	all                                                bool
}

const longCheck = `Runs the source check and then the checks that need a GPU, and writes one results file.

The GPU checks run the step module (step.entry in the configuration, or --entry): build(device) and step(state, i), in
processes of their own. What runs is the working tree.

With --reference the step also runs as another module, or as the base commit has it: from the same seed, with the
same steps, in a process of its own. Outputs that are not equal fail the replay check. A changed kernel is compared with
what it replaces by --reference base: the commit of --base, else where this branch left the default branch.

On a machine without a CUDA device the GPU checks are not run, each with the reason, and the verdict is computed over
what is required. --require-gpu makes them required: a run without a device then exits 3. Not run is never passed.`

func newCheck(s streams) *cobra.Command {
	o := &checkOptions{}
	c := &cobra.Command{
		Use:   "check",
		Short: "Run the whole gate: source, then the checks on the GPU",
		Long:  longCheck,
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			o.Dir = "."
			return runCheck(c.Context(), o, s)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Rev, "rev", "", "check this commit's tree")
	f.StringVar(&o.Entry, "entry", "", "step module `file`, instead of the configuration's")
	f.StringVar(&o.Reference, "reference", "", "compare the outputs of every step with those of `FILE[:FUNCTION]`, or of the step module at the base commit: base")
	f.StringVar(&o.Tolerance, "tolerance", "", "how far they may be apart: exact (the default), dtype (as torch.testing), or RELATIVE,ABSOLUTE")
	f.StringSliceVar(&o.Only, "only", nil, "`checks` to run, comma separated")
	f.BoolVar(&o.RequireGPU, "require-gpu", false, "exit 3 when there is no CUDA device")
	f.StringVar(&o.results, "results", defaultResults, "results `file`")
	f.StringVar(&o.report, "report", "", "also write the run as one HTML page to this `file`")
	f.DurationVar(&o.Timeout, "timeout", 30*time.Minute, "time limit of the whole run")
	f.StringVar(&o.KeepTraces, "keep-traces", "", "copy the recorded traces to this `folder`")
	f.StringVar(&o.confine, "confine", "", "`file` that says how to confine the step's processes (the runner writes it)")
	f.StringVar(&o.progress, "progress", "", "`file` that says how far it is (for the runner)")
	for _, name := range []string{"confine", "progress"} {
		_ = f.MarkHidden(name) // they exist
	}
	f.StringVar(&o.format, "format", "text", "what is printed: text, json, sarif or github")
	f.BoolVar(&o.all, "all", false, "also print suppressed and possible findings and infos (text)")
	addGateFlags(c, &o.Request, &o.failOn)
	return c
}

func runCheck(ctx context.Context, o *checkOptions, s streams) error {
	o.FailOn = finding.Severity(o.failOn)
	render, ok := formats[o.format]
	if !ok {
		return usagef("--format %q is none of text, json, sarif, github", o.format)
	}
	if o.Timeout <= 0 {
		return usagef("--timeout %s is not a time limit", o.Timeout)
	}
	if o.confine != "" {
		exe, err := os.Executable()
		if err != nil {
			return fmt.Errorf("find gatebot itself: %w", err)
		}
		o.Wrap = confined(exe, o.confine)
	}
	progress := newProgress(s.err)
	if o.progress != "" {
		progress.to(o.progress)
	}
	o.Progress, o.Count = progress.phase, progress.count
	run, err := gate.Check(ctx, o.CheckRequest)
	progress.done()
	if err != nil {
		return commandError(err)
	}
	defer func() { _ = run.Close() }() // only readers end with it
	notes(s.err, run.Notes)
	if err := writeTo(o.results, s.out, run.Results.Write); err != nil {
		return err
	}
	if o.report != "" {
		in := report.Input{Results: run.Results, Trace: run.Trace, Read: run.Read, Root: run.Root, Title: filepath.Base(run.Root), When: time.Now()}
		if err := writeTo(o.report, s.out, func(w io.Writer) error { return report.Render(w, report.Build(in)) }); err != nil {
			return err
		}
	}
	if o.results != "-" { // else the terminal has the results already
		if err := render(s.out, run, o.all); err != nil {
			return err
		}
		if o.format == "text" {
			if err := checkTable(s.out, run.Results); err != nil {
				return err
			}
		}
	}
	return outcome(run.Results)
}

// checkTable prints one line a check, and the verdict. Checks that share a reason share a line: on a machine without a
// GPU it would be there seven times.
func checkTable(w io.Writer, r *finding.Results) error {
	var b strings.Builder
	for i := 0; i < len(r.Checks); {
		c := r.Checks[i]
		names := []string{c.Name}
		for i++; i < len(r.Checks) && c.Reason != "" && r.Checks[i].Reason == c.Reason && r.Checks[i].Status == c.Status; i++ {
			names = append(names, r.Checks[i].Name)
		}
		line := fmt.Sprintf("%-8s %s", c.Status, strings.Join(names, ", "))
		if c.Reason != "" {
			line += ": " + c.Reason
		}
		b.WriteString(line + "\n")
	}
	fmt.Fprintf(&b, "verdict  %s\n", r.Verdict)
	_, err := io.WriteString(w, b.String())
	return err
}
