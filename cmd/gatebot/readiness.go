package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/internal/gate"
)

func newReadiness(s streams) *cobra.Command {
	return group("readiness", "The readiness document: what holds, what is left", newReadinessUpdate(s))
}

func newReadinessUpdate(s streams) *cobra.Command {
	r := gate.ReadinessRequest{Dir: "."}
	var date string
	c := &cobra.Command{
		Use:   "update [FILE]",
		Short: "Write the four sections of the readiness document anew",
		Long: `Renders, between markers, (A) what the last check said, with date and device, (B) the checklist by class, now and
before, (C) the hazards of the configuration joined with what is found of them now, so that one that is called done and
is back is shown as regressed, and (D) how far the integration is. Everything else in the file stays as it is. FILE is
the document of the fix log when the configuration names one, else ` + gate.ReadinessPath + `.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			r.Document = first(args)
			if date != "" {
				var err error
				if r.Ran, err = time.Parse(time.DateOnly, date); err != nil {
					return usagef("--date %q is no date (write 2026-06-03)", date)
				}
			}
			name, changed, err := gate.Readiness(c.Context(), r)
			if err != nil {
				return commandError(err)
			}
			state := "unchanged"
			switch {
			case changed && r.Check:
				state = "out of date (run: gatebot readiness update)"
			case changed:
				state = "written"
			}
			if _, err := fmt.Fprintf(s.out, "%s %s\n", name, state); err != nil {
				return err
			}
			if changed && r.Check {
				return &exitError{code: exitFindings}
			}
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&r.Results, "results", defaultResults, "results `file` of the last check")
	f.StringVar(&r.Before, "before", "", "`revision` to count against (default: what the document says, else before the first fix of the log)")
	f.StringVar(&date, "date", "", "`day` on which that check ran (default: when its file was written)")
	f.BoolVar(&r.Check, "check", false, "write nothing; exit 1 when the document is out of date")
	return c
}
