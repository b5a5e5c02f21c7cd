// Package github is gatebot's adapter to GitHub and the only importer of go-github. It authenticates as a GitHub App,
// keeps GitHub's documented limits on our side (limits.go), tells its failures apart (errors.go) and renders results
// as check run output and annotations (pure functions, render.go).
//
// Most callers need New, which gives an App, and Render. Methods of App are safe for concurrent use, repeatable after
// an ambiguous failure, and never wait longer than Options.MaxSleep for a rate limit: what takes longer comes back as
// a RateLimitedError, for the durable queue to hold.
package github

// Repo addresses a repository through the installation that may act on it.
type Repo struct {
	Installation int64
	ID           int64
	Owner, Name  string
}

// String is owner/name, for logs and errors.
func (r Repo) String() string { return r.Owner + "/" + r.Name }

// Conclusion is how a check run ended. Skipped and neutral are missing on purpose: GitHub lets a required check pass
// on them (docs: troubleshooting required status checks), and what has not run has not passed.
type Conclusion string

// The conclusions gatebot sends. Failure means a violation and nothing else.
const (
	Success        Conclusion = "success"
	Failure        Conclusion = "failure"
	Cancelled      Conclusion = "cancelled"
	TimedOut       Conclusion = "timed_out"
	ActionRequired Conclusion = "action_required"
)

// Statuses of an unfinished check run that an App may set.
const (
	StatusQueued     = "queued"
	StatusInProgress = "in_progress"
	StatusCompleted  = "completed"
)

// Output is what a check run shows. Summary and Text are Markdown.
type Output struct {
	Title, Summary, Text string
}

// Annotation is one remark on lines of a file. Columns are 1-based and used only when StartLine equals EndLine.
type Annotation struct {
	Path                   string
	StartLine, EndLine     int
	StartColumn, EndColumn int
	Level                  string // failure, warning or notice
	Title, Message         string
	RawDetails             string
}

// Levels of annotations.
const (
	LevelFailure = "failure"
	LevelWarning = "warning"
	LevelNotice  = "notice"
)

// Action is a button of a completed check run.
type Action struct {
	Label, Description, Identifier string
}
