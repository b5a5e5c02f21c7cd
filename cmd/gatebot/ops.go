package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/gpu/ops"
	"github.com/gatebot/gatebot/gpu/probe"
	"github.com/gatebot/gatebot/gpu/trial"
)

type opsOptions struct {
	trial.Options
	lists, files, compare []string
	output                string
	timeout               time.Duration
}

const longOps = `Measures what single operations of torch make the host do, on this machine and with the torch that --python has: whether
torch's own sync-debug mode reports them, which calls the probe sees, and whether a CUDA graph can hold them. Each
operation runs in a process of its own, because a failed capture poisons its process.

The lists are common (299 calls: what people write) and named (639 operations by their names in torch). --cases takes a
list of your own, ` + "`name: code`" + ` a line, with x, y, v, idx, m on the device as in common:

    decode: model_step(x) ;; from dsv4 import model_step

The table goes to --output, or to the terminal; the summary to stderr. --compare says what differs from an older table.`

func newOps(s streams) *cobra.Command {
	o := &opsOptions{}
	c := &cobra.Command{
		Use:   "ops",
		Short: "Measure which operations of your torch wait for the device",
		Long:  longOps,
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runOps(c.Context(), o, s)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Python, "python", "python3", "`interpreter` that has torch")
	f.StringSliceVar(&o.lists, "list", []string{"common"}, "lists to measure: common, named")
	f.StringArrayVar(&o.files, "cases", nil, "measure the calls of this `file` instead (repeatable)")
	f.StringArrayVar(&o.compare, "compare", nil, "older table to compare with: `file` (repeatable)")
	f.StringVar(&o.output, "output", "-", "table `file`, - for the terminal")
	f.IntVar(&o.Jobs, "jobs", 0, "processes at a time, each with a CUDA context (default: one a core, 16 at most)")
	f.DurationVar(&o.Each, "each", time.Minute, "time limit of one operation")
	f.DurationVar(&o.timeout, "timeout", 30*time.Minute, "time limit of all")
	return c
}

func runOps(ctx context.Context, o *opsOptions, s streams) error {
	if o.Each <= 0 || o.timeout <= 0 || o.Jobs < 0 {
		return usagef("ops: --each, --timeout and --jobs count from 1")
	}
	cases, err := o.cases()
	if err != nil {
		return &exitError{code: exitUsage, err: err}
	}
	old, err := o.old()
	if err != nil {
		return &exitError{code: exitUsage, err: err}
	}
	if o.Probe, err = probe.Find(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.timeout, fmt.Errorf("ops: it took longer than %s (raise --timeout)", o.timeout))
	defer cancel()
	torch, results, err := trial.Run(ctx, o.Options, cases)
	if errors.Is(err, trial.ErrNoTorch) {
		return fmt.Errorf("ops: %w (name an interpreter that has it with --python)", err)
	}
	if err != nil {
		return err
	}
	rows := ops.Rows(results)
	if err := writeTo(o.output, s.out, func(w io.Writer) error { return ops.Write(w, torch, deviceOf(results), rows) }); err != nil {
		return err
	}
	sum := ops.Summarise(rows)
	if err := sum.Print(s.err); err != nil {
		return err
	}
	if old != nil {
		same, differences := ops.Compare(rows, old)
		_, _ = fmt.Fprintf(s.err, "%d operations as in the older table, %d not\n%s", same, len(differences), lines(differences)) // like every remark
	}
	if sum.Measured == 0 {
		return errors.New("ops: nothing was measured (the table has the reasons)")
	}
	return nil
}

// cases are those of the files, else of the lists.
func (o *opsOptions) cases() ([]trial.Case, error) {
	var all []trial.Case
	if len(o.files) > 0 {
		o.lists = nil
	}
	for _, name := range o.lists {
		cases, err := ops.List(name)
		if err != nil {
			return nil, fmt.Errorf("--list: %w", err)
		}
		all = append(all, cases...)
	}
	for _, name := range o.files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("--cases: %w", err)
		}
		cases, err := ops.ParseOwn(filepath.ToSlash(name), string(text))
		if err != nil {
			return nil, fmt.Errorf("--cases: %w", err)
		}
		all = append(all, cases...)
	}
	if len(all) == 0 {
		return nil, errors.New("ops: no operation to measure (--list common, or lines in --cases)")
	}
	return all, nil
}

func (o *opsOptions) old() (map[string]ops.Old, error) {
	var all map[string]ops.Old
	for _, name := range o.compare {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("--compare: %w", err)
		}
		rows, err := ops.ReadTable(filepath.ToSlash(name), string(text))
		if err != nil {
			return nil, fmt.Errorf("--compare: %w", err)
		}
		if all == nil {
			all = map[string]ops.Old{}
		}
		for k, v := range rows {
			all[k] = v
		}
	}
	return all, nil
}

func deviceOf(results []trial.Result) string {
	i := slices.IndexFunc(results, func(r trial.Result) bool { return r.Device != "" })
	if i < 0 {
		return "unknown device"
	}
	return results[i].Device
}

func lines(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return "  " + strings.Join(all, "\n  ") + "\n"
}
