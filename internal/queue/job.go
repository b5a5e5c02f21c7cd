package queue

import (
	"encoding/json"
	"time"
)

// Event is one webhook as it came, before anything was decided.
type Event struct {
	Delivery string          `json:"delivery"` // X-GitHub-Delivery
	Type     string          `json:"type"`     // X-GitHub-Event
	Received time.Time       `json:"received"`
	Payload  json.RawMessage `json:"payload"`
}

// Repo names a repository and how to reach it.
type Repo struct {
	ID           int64  `json:"id"`
	Owner        string `json:"owner"`
	Name         string `json:"name"`
	Installation int64  `json:"installation"`
	CloneURL     string `json:"clone_url"`
	Default      string `json:"default"` // default branch
}

// Job is one tree to check. Key is a hash of its content (repository, head, base, check name, gate configuration),
// so that any number of deliveries about the same commit make one job; ID is the key and the attempt.
type Job struct {
	ID       string        `json:"id"`
	Key      string        `json:"key"`
	Attempt  int           `json:"attempt"`
	Check    string        `json:"check"` // name of the check run
	Repo     Repo          `json:"repo"`
	Head     string        `json:"head"`
	Base     string        `json:"base"` // commit whose findings are old; empty when there is none
	Tree     string        `json:"tree"` // tree of Head, verified by the runner
	PR       int           `json:"pr,omitempty"`
	Trigger  string        `json:"trigger"` // "pull_request", "merge_group", "push", "check_run"
	Pool     string        `json:"pool"`
	Bundle   Blob          `json:"bundle"`
	Config   []byte        `json:"config,omitempty"` // gate configuration of Base; nil when it has none
	Timeout  time.Duration `json:"timeout"`
	Enqueued time.Time     `json:"enqueued"`
}

// Blob names an object of the queue's store and what must come out of it.
type Blob struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// Class says what a result is about: the code, or the machine that looked at it.
type Class string

// ClassVerdict carries a results file; infra and timeout carry a reason and no verdict. ClassStarted is no result yet:
// it says that the runner has the job under this epoch, which fences off whatever an earlier lease still sends.
const (
	ClassStarted Class = "started"
	ClassVerdict Class = "verdict"
	ClassInfra   Class = "infra"
	ClassTimeout Class = "timeout"
	// ClassCancelled is for the job of a developer who took it back.
	ClassCancelled Class = "cancelled"
)

// Result is what a runner sends back.
type Result struct {
	JobID    string          `json:"job_id"`
	Key      string          `json:"key"`
	Pool     string          `json:"pool,omitempty"`
	Attempt  int             `json:"attempt"`
	Epoch    int             `json:"epoch"` // of the Grant it was made under
	Runner   string          `json:"runner"`
	Class    Class           `json:"class"`
	Reason   string          `json:"reason,omitempty"`
	Results  json.RawMessage `json:"results,omitempty"` // gatebot.results/v1
	LogTail  string          `json:"log_tail,omitempty"`
	Started  time.Time       `json:"started"`
	Finished time.Time       `json:"finished"`
}
