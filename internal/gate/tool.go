package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"sync"

	"github.com/gatebot/gatebot/checks/registry"
	"github.com/gatebot/gatebot/internal/finding"
)

// Version is the version of the program, set by main before anything runs.
var Version = "dev"

// Tool names this program and its rules in results and cache keys.
func Tool() finding.Tool {
	return finding.Tool{Name: "gatebot", Version: Version, Rules: rulesHash()}
}

// rulesHash changes whenever the scanner may judge differently. A released version says so by itself; a development
// build is told apart by its executable's size and time, which costs one stat instead of hashing 40 MB.
var rulesHash = sync.OnceValue(func() string {
	h := sha256.New()
	write := func(format string, args ...any) {
		_, _ = fmt.Fprintf(h, format, args...) // a hash never fails
	}
	write("%s\n", Version)
	write("%s\n", registry.Hash())
	if exe, err := os.Executable(); err == nil {
		if info, err := os.Stat(exe); err == nil {
			write("%d %d\n", info.Size(), info.ModTime().UnixNano())
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
})
