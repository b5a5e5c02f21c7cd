package hooks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/gatebot/gatebot/internal/git"
)

// A hook manager may call the gate without git's arguments and input. pre-commit (the program) keeps both for itself
// and gives its hooks variables instead, about one ref of the push: the first that is no deletion.
const (
	envFrom         = "PRE_COMMIT_FROM_REF"
	envTo           = "PRE_COMMIT_TO_REF"
	envRemoteName   = "PRE_COMMIT_REMOTE_NAME"
	envRemoteURL    = "PRE_COMMIT_REMOTE_URL"
	envLocalBranch  = "PRE_COMMIT_LOCAL_BRANCH"
	envRemoteBranch = "PRE_COMMIT_REMOTE_BRANCH"
)

// FromManager gives what git would have given: the remote, its URL, and the lines of the input. Where pre-commit says
// nothing (somebody runs its hooks by hand), the push that is meant is the one of the current branch.
func FromManager(ctx context.Context, dir string) (remote, url string, stdin io.Reader, err error) {
	repo, err := git.OpenCLI(ctx, dir, git.HookEnv())
	if err != nil {
		return "", "", nil, err
	}
	defer func() { _ = repo.Close() }()
	local, target := os.Getenv(envLocalBranch), os.Getenv(envRemoteBranch)
	if remote, url = os.Getenv(envRemoteName), os.Getenv(envRemoteURL); remote == "" {
		if remote, target, err = upstream(ctx, repo); err != nil {
			return "", "", nil, err
		}
	}
	if url == "" {
		if url, _, err = repo.Setting(ctx, "remote."+remote+".url"); err != nil {
			return "", "", nil, err
		}
	}
	to, err := firstThatResolves(ctx, repo, os.Getenv(envTo), local, "HEAD")
	if err != nil {
		return "", "", nil, err
	}
	from := strings.Repeat("0", len(to))
	if rev := os.Getenv(envFrom); rev != "" {
		// The remote's ref, or the parent of the first commit that the remote lacks: it has that, too.
		if id, err := repo.Resolve(ctx, rev); err == nil {
			from = id
		} else if !errors.Is(err, git.ErrNotFound) {
			return "", "", nil, err
		}
	}
	if local == "" {
		local = "HEAD"
	}
	if target == "" {
		target = "refs/heads/HEAD"
	}
	return remote, url, strings.NewReader(fmt.Sprintf("%s %s %s %s\n", local, to, target, from)), nil
}

// upstream is where a plain `git push` of the current branch goes: its remote and the branch there.
func upstream(ctx context.Context, repo *git.CLI) (remote, branch string, err error) {
	head, err := os.ReadFile(repo.Dir() + "/HEAD")
	if err != nil {
		return "", "", err
	}
	ref, onBranch := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: ")
	name := strings.TrimPrefix(ref, "refs/heads/")
	if !onBranch {
		name = ""
	}
	for _, key := range []string{"branch." + name + ".pushRemote", "remote.pushDefault", "branch." + name + ".remote"} {
		value, set, err := repo.Setting(ctx, key)
		if err != nil {
			return "", "", err
		}
		if set {
			return value, ref, nil
		}
	}
	return "origin", ref, nil
}

// firstThatResolves is the commit of the first revision that is given and known here.
func firstThatResolves(ctx context.Context, repo git.Repository, revs ...string) (string, error) {
	for _, rev := range revs {
		if rev == "" {
			continue
		}
		id, err := repo.Resolve(ctx, rev)
		if !errors.Is(err, git.ErrNotFound) {
			return id, err
		}
	}
	return "", usageError{errors.New("there is no commit yet that could be pushed")}
}
