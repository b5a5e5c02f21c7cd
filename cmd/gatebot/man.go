package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

const longMan = `Writes one manual page a command into a folder, which is made when it is not there. Packages install them in
share/man/man1.`

func newMan() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages into a folder",
		Long:  longMan,
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("man: %w", err)
			}
			// A date of the day of the build would make packages differ from one another.
			day := time.Unix(0, 0)
			return doc.GenManTree(c.Root(), &doc.GenManHeader{Section: "1", Source: "gatebot " + version, Manual: "gatebot", Date: &day}, args[0])
		},
	}
}
