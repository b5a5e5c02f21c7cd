package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/gpu/runner"
)

// newQuarantine takes a runner of this host out of work, or lets it in again. It works on the runner's own directory,
// whether the runner is up or not.
func newQuarantine(s streams) *cobra.Command {
	var file, reason string
	var end bool
	c := &cobra.Command{
		Use:   "quarantine --config FILE [--reason TEXT | --end]",
		Short: "Show why a runner takes no jobs, take it out of work, or let it in again",
		Long: `Without --reason and --end it says how the runner stands: exit code 0 when it may work, 1 when it is quarantined.
With --reason the runner finishes the job at hand and takes no other until --end. A quarantine that the runner itself
began ends by itself when its device is well again, and by --end at once; the device is looked at before the next job.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if file == "" || reason != "" && end {
				return usagef("runner quarantine: needs --config FILE, and one of --reason and --end at most")
			}
			o, err := runner.LoadConfig(file)
			if err != nil {
				return &exitError{code: exitUsage, err: err}
			}
			if reason != "" || end {
				return runner.SetQuarantine(o.WorkDir, reason)
			}
			q := runner.ReadQuarantine(o.WorkDir)
			if q == nil {
				_, err := fmt.Fprintf(s.out, "runner %s may take jobs\n", o.Name)
				return err
			}
			if _, err := fmt.Fprintf(s.out, "runner %s is quarantined since %s: %s\n", o.Name, q.Since.Format(time.RFC3339), q.Reason); err != nil {
				return err
			}
			return &exitError{code: exitFindings}
		},
	}
	f := c.Flags()
	f.StringVar(&file, "config", "", "configuration `file` of the runner")
	f.StringVar(&reason, "reason", "", "take the runner out of work, and why")
	f.BoolVar(&end, "end", false, "let the runner in again")
	return c
}
