package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/gatebot/gatebot/checks/torchop"
)

// Hash names the set of rules: their ids, severities and words, and the table of operations. It is part of results
// files and cache keys. It does not cover the code of the rules: callers add the version of the program.
func Hash() string {
	h := sha256.New()
	for _, r := range Rules {
		_, _ = fmt.Fprintf(h, "%q %q %q %q %q\n", r.ID, r.Severity, r.Text, r.Fix, r.Over)
	}
	_, _ = fmt.Fprintf(h, "%x\n", torchop.Sum())
	return hex.EncodeToString(h.Sum(nil)[:8])
}
