// Package hooks is the gate as a git pre-push hook. Install puts a small shell script where git looks for hooks; it
// finds the program when it runs and calls PrePush, which checks the trees of the commits that are pushed, read from
// the object store and never from the working tree, and refuses the push when they hold a hazard that the remote does
// not have yet.
//
// A hook is a courtesy to its user: the server checks the same commits and is the authority. So a fault of the
// machine lets a push pass, loudly, unless the setting gatebot.hook.strict says otherwise; a finding never does.
package hooks

import (
	"context"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
)

// Scanner finds the hazards in the tree of a commit, with the configuration that the commit carries. A configuration
// that cannot be used is a *config.Error.
type Scanner interface {
	ScanTree(ctx context.Context, repo git.Repository, rev string) ([]finding.Finding, error)
}

// ScanFunc is a Scanner made of a function.
type ScanFunc func(ctx context.Context, repo git.Repository, rev string) ([]finding.Finding, error)

// ScanTree calls f.
func (f ScanFunc) ScanTree(ctx context.Context, repo git.Repository, rev string) ([]finding.Finding, error) {
	return f(ctx, repo, rev)
}

// The exit codes of a hook (DESIGN 5.1). exitInfra becomes exitClean, with a warning, unless the hook is strict.
const (
	exitClean    = 0
	exitFindings = 1
	exitUsage    = 2
	exitInfra    = 3
)

// Settings of git's configuration that the hook reads.
const (
	settingStrict = "gatebot.hook.strict" // bool: a fault of the machine refuses the push
	settingBinary = "gatebot.hook.binary" // path of the program, read by the installed script
)

// skipVariable passes a push unchecked; its value is the reason, which is recorded.
const skipVariable = "GATEBOT_SKIP"
