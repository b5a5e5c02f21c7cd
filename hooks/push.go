package hooks

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
)

// PushOptions say how a push is checked.
type PushOptions struct {
	Dir     string
	Scanner Scanner
	// Rules names the rule set and Config a configuration that is not the commit's own; both are part of the cache
	// key. Nothing is cached while Rules is empty.
	Rules, Config string
	FailOn        finding.Severity // empty means error
	EachCommit    bool             // check every commit that is pushed, not only the tips
	All           bool             // also refuse what the remote has already
	Color         bool
	GPU           GPU // nil: no GPU stage
}

// PrePush checks a push: remote and url are the arguments that git gives the hook, stdin its lines. Nothing is
// printed when there is nothing to say, and nothing ever goes to standard output, which belongs to git
// (`git push --porcelain`). The return value is the exit code of the process: 0 lets git push.
func PrePush(ctx context.Context, o PushOptions, remote, url string, stdin io.Reader, errw io.Writer) int {
	p := &push{opts: o, remote: remote, url: url, errw: errw}
	if p.opts.FailOn == "" {
		p.opts.FailOn = finding.Error
	}
	code, err := p.run(ctx, stdin)
	if err == nil {
		return code
	}
	return p.fail(ctx, err)
}

type push struct {
	opts        PushOptions
	remote, url string
	errw        io.Writer
	repo        git.Repository // nil until it is open
}

// usageError is an error of whoever calls, or of a configuration: exit 2, whatever the strictness.
type usageError struct{ error }

func (p *push) run(ctx context.Context, stdin io.Reader) (int, error) {
	updates, err := readUpdates(stdin)
	if err != nil {
		return 0, usageError{err}
	}
	if len(updates) == 0 {
		return exitClean, nil // everything is up to date
	}
	// Git exports GIT_DIR to a hook of a linked worktree.
	if p.repo, err = git.Open(ctx, p.opts.Dir, git.HookEnv(), git.ReadsSoon()); err != nil {
		return 0, err
	}
	defer func() { _ = p.repo.Close() }()
	if reason := skipReason(); reason != "" {
		return exitClean, p.skip(reason, updates)
	}
	news, err := look(ctx, p.repo, p.remote, p.url, updates)
	if err != nil {
		return 0, err
	}
	refused, err := p.check(ctx, news)
	if err != nil {
		return 0, err
	}
	switch {
	case len(refused) > 0:
		return exitFindings, p.refuse(ctx, refused)
	case p.opts.GPU != nil:
		return p.onDevice(ctx, news)
	}
	return exitClean, nil
}

// fail says what went wrong and decides whether the push goes on.
func (p *push) fail(ctx context.Context, err error) int {
	var usage usageError
	var conf *config.Error
	if errors.As(err, &usage) || errors.As(err, &conf) {
		p.say("gatebot: pre-push: %v", err)
		return exitUsage
	}
	if ctx.Err() != nil {
		p.say("gatebot: pre-push: interrupted")
		return exitInfra
	}
	strict, serr := p.strict(ctx)
	switch {
	case serr != nil:
		p.say("gatebot: pre-push: %v", serr)
		return exitUsage
	case strict:
		p.say("gatebot: pre-push: %v: the push is refused because %s is set (fix the cause, or push with --no-verify)",
			err, settingStrict)
		return exitInfra
	}
	var stage gpuError
	if errors.As(err, &stage) {
		p.say("gatebot: pre-push: WARNING: the source check passed, the GPU checks did NOT run: %v", err)
	} else {
		p.say("gatebot: pre-push: WARNING: this push was NOT checked: %v", err)
	}
	p.say("gatebot: pre-push: it goes on, because the server checks it again (set %s to refuse instead)", settingStrict)
	return exitClean
}

// strict asks whether a fault refuses the push. It is asked only when there is one: each question is a process.
func (p *push) strict(ctx context.Context) (bool, error) {
	cli, ok := p.repo.(*git.CLI)
	if !ok {
		return false, nil
	}
	return cli.Flag(ctx, settingStrict)
}

// say writes a line for the user. When even that fails there is nobody to tell.
func (p *push) say(format string, args ...any) {
	_, _ = fmt.Fprintf(p.errw, format+"\n", args...)
}
