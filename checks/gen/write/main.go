// Write generates checks/registry/rules.go and the tests of the rules. `go generate ./checks/gen` runs it in
// checks/gen.
package main

import (
	"fmt"
	"os"

	"github.com/gatebot/gatebot/checks/gen"
)

func main() {
	if err := gen.Write(".."); err != nil {
		fmt.Fprintf(os.Stderr, "generate: %v\n", err)
		os.Exit(1)
	}
}
