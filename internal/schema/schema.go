// Package schema holds the JSON Schemas (draft 2020-12) of what gatebot reads and writes: the configuration, for
// completion in editors, and the results file and the lines of a trace, for scripts that read them.
//
// results.json and trace.json are generated from the types of internal/finding and internal/trace; config.json is
// written by hand, since its loader is, and a test holds the two together.
package schema

import (
	_ "embed" // the schemas
	"slices"
)

//go:generate go run ./gen

//go:embed config.json
var config []byte

//go:embed results.json
var results []byte

//go:embed trace.json
var trace []byte

// Names are what Get takes.
var Names = []string{"config", "results", "trace"}

// Get gives a schema by name, nil for a name that is none.
func Get(name string) []byte {
	switch name {
	case "config":
		return slices.Clone(config)
	case "results":
		return slices.Clone(results)
	case "trace":
		return slices.Clone(trace)
	}
	return nil
}
