package webhook

import (
	"context"
	"io"
	"time"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

// Checks is what the planner and the result consumer ask of GitHub. *github.App is the real one.
type Checks interface {
	CreateRun(ctx context.Context, r github.Repo, n github.NewRun) (github.Run, error)
	FindRun(ctx context.Context, r github.Repo, sha, name, externalID string) (github.Run, bool, error)
	UpdateRun(ctx context.Context, r github.Repo, run github.RunRef, status string, out github.Output) error
	CompleteRun(ctx context.Context, r github.Repo, run github.RunRef, c github.Completion) error
	AppendAnnotations(ctx context.Context, r github.Repo, run github.RunRef, c github.Completion) error
}

// Pulls reads pull requests.
type Pulls interface {
	Pull(ctx context.Context, r github.Repo, number int) (github.Pull, error)
	PullsOfCommit(ctx context.Context, r github.Repo, sha string) ([]github.Pull, error)
	Permission(ctx context.Context, r github.Repo, login string) (string, error)
}

// Branches writes the fix log.
type Branches interface {
	BranchHead(ctx context.Context, r github.Repo, branch string) (string, error)
	PointBranch(ctx context.Context, r github.Repo, branch, sha string) error
	CommitOnBranch(ctx context.Context, r github.Repo, b github.BranchCommit) (string, error)
	EnsurePull(ctx context.Context, r github.Repo, head, base string, t github.PullText) (int, error)
	HasOpenPull(ctx context.Context, r github.Repo, head, base string) (bool, error)
}

// Comments answers commands.
type Comments interface {
	React(ctx context.Context, r github.Repo, comment int64, reaction string) error
	Reply(ctx context.Context, r github.Repo, pr int, body string) error
	CommentsSince(ctx context.Context, r github.Repo, since time.Time) ([]github.Comment, error)
}

// Present is what is open now, whatever events came.
type Present interface {
	Repositories(ctx context.Context) ([]github.Known, error)
	RepositoriesOf(ctx context.Context, installation int64) ([]github.Known, error)
	OpenPulls(ctx context.Context, r github.Repo) ([]github.Pull, error)
	QueueBranches(ctx context.Context, r github.Repo) ([]github.Ref, error)
	Unfinished(ctx context.Context, r github.Repo, sha string) ([]github.Run, error)
}

// Deliveries finds and repeats webhooks that did not arrive.
type Deliveries interface {
	Deliveries(ctx context.Context, since time.Time) ([]github.Delivery, error)
	Redeliver(ctx context.Context, id int64) error
}

// GitHub is all of it.
type GitHub interface {
	Checks
	Pulls
	Branches
	Comments
	Present
	Deliveries
	ID() int64 // of the App
	Login(ctx context.Context) (string, error)
	GitToken(ctx context.Context, r github.Repo) (string, error)
	PushToken(ctx context.Context, r github.Repo) (string, error)
}

// Mirrors keeps one bare repository per GitHub repository.
type Mirrors interface {
	// Fetch brings refs (full names) up to date and returns the git directory. A ref that the remote does not have is
	// ErrNoRef.
	Fetch(ctx context.Context, r queue.Repo, refs ...string) (dir string, err error)
	// Push sends a ref of the mirror to the remote, if that is a fast-forward there; else it is ErrRejected.
	Push(ctx context.Context, r queue.Repo, ref string) error
	// Resolve is the commit that rev names in the mirror, or git.ErrNotFound.
	Resolve(ctx context.Context, dir, rev string) (string, error)
	// Tree is the tree id of a commit.
	Tree(ctx context.Context, dir, commit string) (string, error)
	// MergeBase is empty when the two have none.
	MergeBase(ctx context.Context, dir, a, b string) (string, error)
	// ReadFile is a file of a commit; found is false when there is none.
	ReadFile(ctx context.Context, dir, commit, path string) (data []byte, found bool, err error)
	// Changed lists the paths that differ between two commits; an empty a is the empty tree.
	Changed(ctx context.Context, dir, a, b string) ([]string, error)
}

// Bundle writes head, and base when it is not empty, from the mirror in dir as what a runner unpacks.
type Bundle func(ctx context.Context, dir, head, base string, w io.Writer) error

// ParseConfig reads a gate configuration; the name is for messages.
type ParseConfig func(name string, data []byte) (*config.Config, error)

// ghRepo is the queue's repository as the adapter addresses it.
func ghRepo(r queue.Repo) github.Repo {
	return github.Repo{Installation: r.Installation, ID: r.ID, Owner: r.Owner, Name: r.Name}
}
