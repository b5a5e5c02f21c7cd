package main

import (
	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/internal/demo"
)

func newDemo(s streams) *cobra.Command {
	var keep bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show one pull request going through the whole machine",
		Long: `Makes a repository with a small decode step, starts a GitHub stand-in, gatebot serve and gatebot runner on this
machine, and plays a violating pull request, its fix, the fix log and the pre-push hook. It needs no account, no GPU
and no network, verifies what it shows, and leaves nothing behind.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return demo.Run(c.Context(), demo.Options{Out: s.out, Color: color(s.out), Keep: keep})
		},
	}
	c.Flags().BoolVar(&keep, "keep", false, "leave everything running until interrupted")
	return c
}
