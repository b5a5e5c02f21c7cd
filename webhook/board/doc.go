// Package board is the pages of the server: what is checked and what came of it, one job with its log while it runs, the
// runners, the fix log, how ready a repository is, and how findings, captured regions and step times go over time.
//
// It knows neither GitHub nor the queue: a Source and a Feed give plain data. Who may see what is decided by package signin:
// every page shows only repositories that its visitor may read. assets/uplot.* is uPlot 1.6.32 (MIT,
// https://github.com/leeoniya/uPlot), which draws the charts.
package board

import (
	"context"
	"time"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/fixlog"
	"github.com/gatebot/gatebot/webhook/board/signin"
)

// Job is one check of one commit.
type Job struct {
	Key        string
	Repo       signin.Repo
	Check      string
	Head       string // commit
	Base       string // commit that it is compared with, "" for none
	Ref        string // branch, pull request or merge group
	PR         int
	Author     string
	Title      string // what became of it, in words
	State      string // waiting, running or done
	Conclusion string // of a done one: success, failure, ...
	Runner     string
	Pool       string
	Place      int // among those that wait, 0 when it is not known
	Attempt    int
	Mainline   bool // what a branch is, or is about to be: a push or a merge group
	HasResults bool // a verdict was reached, and its results are kept
	Facts      []Fact
	Created    time.Time
	Updated    time.Time
}

// Fact is a name and its value.
type Fact struct{ Name, Value string }

// Runner is one machine.
type Runner struct {
	Name   string
	Pools  []string
	State  string // idle, busy, quarantined, stopped, or silent
	Reason string
	Since  time.Time // of a quarantine; zero where it is not known
	Manual bool      // an operator's quarantine: only an operator ends it
	Job    string    // key of a job of this server, or what the runner says of another
	Device string
	Health []Fact    // what the runner last saw of its device
	Seen   time.Time // zero: never
}

// Pool is a queue of jobs.
type Pool struct {
	Name             string
	Waiting, Running int
	Oldest           time.Time // since when the oldest has waited; zero: none waits
}

// Setup is how a repository is gated.
type Setup struct {
	Config     *config.Config // that the newest check of a branch was judged by; nil where it is not known
	GatedSince time.Time      // when the configuration came into the history; zero: it is not there, or not known
	GatedBy    string         // the commit
}

// Source is what the pages show.
type Source interface {
	// Jobs are all that the server remembers, newest first.
	Jobs(ctx context.Context) ([]Job, error)
	// Results are those of a job's newest attempt, nil when there are none.
	Results(ctx context.Context, key string) (*finding.Results, error)
	Runners(ctx context.Context) ([]Runner, error)
	// Ledger is the fix log's, nil when there is none.
	Ledger(ctx context.Context, repo signin.Repo) (*fixlog.Ledger, error)
	Setup(ctx context.Context, repo signin.Repo) (Setup, error)
}

// Progress is how far a runner is with a job.
type Progress struct {
	Attempt, Lease int // which run of the job it is about
	Runner         string
	Phase          string
	Done, Total    int // within the phase; Total 0: not known
	Unit           string
	Pieces         int // of the log, so far
	At             time.Time
	Ended          bool // nothing follows from this lease
}

// Feed is one job while it runs.
type Feed interface {
	Job(ctx context.Context) (Job, error)
	// Progress is nil before a runner has taken the job, and when it is not kept any more.
	Progress(ctx context.Context) (*Progress, error)
	// Piece is the n-th piece of the log of a lease, from 0; nil when it is not kept.
	Piece(ctx context.Context, attempt, lease, n int) ([]byte, error)
}
