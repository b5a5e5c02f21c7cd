package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/internal/schema"
)

func newSchema(s streams) *cobra.Command {
	return &cobra.Command{
		Use:       "schema " + strings.Join(schema.Names, "|"),
		Short:     "Print the JSON Schema of .gatebot.yaml, of results or of a trace's lines",
		ValidArgs: schema.Names,
		Args:      cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			text := schema.Get(args[0])
			if text == nil {
				return usagef("schema: %q is none of %s", args[0], strings.Join(schema.Names, ", "))
			}
			_, err := s.out.Write(text)
			return err
		},
	}
}
