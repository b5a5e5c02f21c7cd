// Docs writes docs/rules.md from the rules. `go generate ./checks/gen` runs it in checks/gen, after the registry.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gatebot/gatebot/checks/registry"
)

func main() {
	path := filepath.Join("..", "..", "docs", "rules.md")
	if err := os.WriteFile(path, []byte(registry.Markdown()), 0o644); err != nil {
		fmt.Fprintf(os.Stderr, "generate: %v\n", err)
		os.Exit(1)
	}
}
