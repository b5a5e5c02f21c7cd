// Newrule writes the skeleton of a rule: `go run ./checks/newrule GB114 async-d2h-read-early`, or
// `make new-rule ID=GB114 NAME=async-d2h-read-early`, in the root of the repository.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/gatebot/gatebot/checks/gen"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: newrule ID NAME")
		os.Exit(2)
	}
	if err := gen.New("checks", os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintf(os.Stderr, "newrule: %v\n", err)
		os.Exit(1)
	}
	fmt.Printf("written: checks/%s; fill in the rule and its testdata, then `make generate`\n", strings.ToLower(os.Args[1]))
}
