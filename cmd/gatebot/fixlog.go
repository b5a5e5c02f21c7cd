package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/internal/gate"
)

func newFixlog(s streams) *cobra.Command {
	return group("fixlog", "The violation fix log, from what the findings say", newFixlogUpdate(s), newFixlogShow(s))
}

func newFixlogUpdate(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "update [A..B]",
		Short: "Log what the commits since the last update fixed",
		Long: `Walks the first-parent history up to HEAD, or A..B, compares the findings of each commit with those of its parent,
and writes the ledger (` + gate.LedgerPath + `) and the document that the configuration names. It needs no server.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			l, err := gate.OpenFixLog(c.Context(), ".")
			if err != nil {
				return commandError(err)
			}
			defer func() { _ = l.Close() }() // only readers end with it
			rng := ""
			if len(args) == 1 {
				rng = args[0]
			}
			out, err := l.Update(c.Context(), rng)
			if err != nil {
				return commandError(err)
			}
			notes(s.err, out.Notes)
			changed, err := l.Save()
			if err != nil {
				return err
			}
			state := "unchanged"
			if changed {
				state = "written"
			}
			_, err = fmt.Fprintf(s.out, "%d commits looked at, %d records changed, %s %s\n", out.Commits, len(out.Changed),
				l.Config.FixLog.Path, state)
			return err
		},
	}
}

func newFixlogShow(s streams) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "show",
		Short: "Print the log as it is in the ledger",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if format != "markdown" && format != "json" {
				return usagef("--format %q is none of markdown, json", format)
			}
			l, err := gate.OpenFixLog(c.Context(), ".")
			if err != nil {
				return commandError(err)
			}
			defer func() { _ = l.Close() }() // only readers end with it
			if format == "json" {
				return l.Ledger.Encode(s.out)
			}
			doc, err := l.Render()
			if err != nil {
				return err
			}
			_, err = s.out.Write(doc)
			return err
		},
	}
	c.Flags().StringVar(&format, "format", "markdown", "markdown, or json (one record a line)")
	return c
}
