package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/internal/trace"
)

const longTraceExport = `Writes the files of one run in the Chrome trace event format, which https://ui.perfetto.dev and chrome://tracing open:
launches and calls on their threads with the regions around them, phases and steps on rows of their own.`

func newTraceExport(s streams) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "export FILE...",
		Short: "Write one recorded run for Perfetto",
		Long:  longTraceExport,
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			t, err := trace.Load(args...)
			if err != nil {
				return err
			}
			return writeTo(output, s.out, func(w io.Writer) error { return trace.WriteChrome(w, t) })
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "write to this `file` instead of the terminal")
	return c
}
