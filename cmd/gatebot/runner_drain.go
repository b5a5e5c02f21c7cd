package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/gpu/runner"
)

// newDrain ends a runner of this host without breaking off its job.
func newDrain(s streams) *cobra.Command {
	var file string
	var wait bool
	c := &cobra.Command{
		Use:   "drain --config FILE [--wait]",
		Short: "Let a runner finish the job at hand, and end it",
		Long: `The runner takes no further job, finishes the one it has, and ends with exit code 0. Started again, it takes jobs as
before. (SIGTERM ends it at once: its job goes back to the queue and to another runner.)`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if file == "" {
				return usagef("runner drain: needs --config FILE")
			}
			o, err := runner.LoadConfig(file)
			if err != nil {
				return &exitError{code: exitUsage, err: err}
			}
			if err := runner.Drain(o.WorkDir); err != nil {
				return err
			}
			if !wait {
				_, err := fmt.Fprintf(s.out, "runner %s ends after the job at hand\n", o.Name)
				return err
			}
			if err := runner.Ended(c.Context(), o.WorkDir); err != nil {
				return err
			}
			_, err = fmt.Fprintf(s.out, "runner %s has ended\n", o.Name)
			return err
		},
	}
	c.Flags().StringVar(&file, "config", "", "configuration `file` of the runner")
	c.Flags().BoolVar(&wait, "wait", false, "return when it has ended")
	return c
}
