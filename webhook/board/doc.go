// Package board is the pages of the server that are about more than one job: what is checked and what came of it, the
// runners, and how findings, captured regions and step times go over time.
//
// It knows neither GitHub nor the queue: a Source gives plain data. Everything is behind a token; without one there are no
// pages. assets/uplot.* is uPlot 1.6.32 (MIT, https://github.com/leeoniya/uPlot), which draws the charts.
package board

import (
	"context"
	"time"

	"github.com/gatebot/gatebot/internal/finding"
)

// Job is one check of one commit.
type Job struct {
	Key        string
	Repo       string // owner/name
	Check      string
	Head       string // commit
	Ref        string // branch, pull request or merge group
	PR         int
	Author     string
	Title      string // what became of it, in words
	State      string // waiting, running or done
	Conclusion string // of a done one: success, failure, ...
	Runner     string
	URL        string // its own page
	Mainline   bool   // what a branch is, or is about to be: a push or a merge group
	Created    time.Time
	Updated    time.Time
}

// Runner is one machine.
type Runner struct {
	Name   string
	Pools  []string
	State  string // idle, busy, quarantined, stopped, or silent
	Reason string
	Job    string
	Device string
	Seen   time.Time // zero: never
}

// Source is what the pages show.
type Source interface {
	// Jobs are all that the server remembers, newest first.
	Jobs(ctx context.Context) ([]Job, error)
	// Results are those of a job's newest attempt, nil when there are none.
	Results(ctx context.Context, key string) (*finding.Results, error)
	Runners(ctx context.Context) ([]Runner, error)
}
