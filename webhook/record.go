package webhook

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

// State is how far a job's record has come. It only grows within a round.
type State string

// The states, in order.
const (
	StatePlanned    State = "planned"    // decided; the check run may or may not exist
	StateCreated    State = "created"    // RunID is known
	StateBundled    State = "bundled"    // Job is complete and its bundle stored
	StateQueued     State = "queued"     // the job is in the queue
	StateCompleting State = "completing" // Final is decided and being sent
	StateDone       State = "done"       // GitHub has the conclusion
)

// Record is everything the server knows about one job. It is the only truth: events and results are nudges.
type Record struct {
	Key   string `json:"key"`
	Check string `json:"check"`
	Pool  string `json:"pool"`

	Repo    queue.Repo `json:"repo"`
	Head    string     `json:"head"`
	HeadRef string     `json:"head_ref"` // full ref that must point at Head
	Base    string     `json:"base,omitempty"`
	BaseRef string     `json:"base_ref,omitempty"` // branch
	PR      int        `json:"pr,omitempty"`
	Claims  []int      `json:"claims,omitempty"` // all pull requests with this head and base, PR among them
	Trigger string     `json:"trigger"`          // event that planned it
	// Who is behind the commit: the pull request's author and, when it was pushed to, who did. Fork says that it comes from
	// another repository. Untrusted is decided from these when the job goes out; ApprovedBy let it run all the same.
	Author      string    `json:"author,omitempty"`
	Pusher      string    `json:"pusher,omitempty"`
	Fork        bool      `json:"fork,omitempty"`
	Untrusted   bool      `json:"untrusted,omitempty"`
	ApprovedBy  *Approval `json:"approved_by,omitempty"`
	GateChanged []string  `json:"gate_changed,omitempty"` // files of the gate that the change edits
	BaseTree    string    `json:"base_tree,omitempty"`

	Round   int `json:"round"`   // one check run each: 1, and one more for every re-run somebody asked for
	Attempt int `json:"attempt"` // one job message each, over all rounds: fences results
	Infra   int `json:"infra"`   // attempts of this round that infrastructure spoilt

	To     string   `json:"to,omitempty"`     // runner that this attempt is for; empty: whichever of the pool is free
	Failed []string `json:"failed,omitempty"` // runners that spoilt an attempt of this round

	Epoch int `json:"epoch"` // newest lease of this attempt that a runner told us of

	State      State      `json:"state"`
	RunID      int64      `json:"run_id,omitempty"`
	Job        *queue.Job `json:"job,omitempty"`
	InProgress bool       `json:"in_progress,omitempty"` // GitHub was told that a runner has it
	Warned     bool       `json:"warned,omitempty"`      // GitHub was told that none has
	Final      *Final     `json:"final,omitempty"`
	Shown      []string   `json:"shown,omitempty"`    // check families that have a run of their own
	Position   int        `json:"position,omitempty"` // in the queue, as GitHub was last told
	Told       time.Time  `json:"told,omitzero"`      // when that was
	Phase      string     `json:"phase,omitempty"`    // of the running job, as GitHub was last told
	Runner     string     `json:"runner,omitempty"`   // that has it, or had it last
	Reused     string     `json:"reused,omitempty"`   // commit whose verdict this is

	Delivery string    `json:"delivery"` // the event of this round
	Created  time.Time `json:"created"`  // of this round
	Updated  time.Time `json:"updated"`
}

// Final is a decided outcome, without its annotations. The first decision of a round stands.
type Final struct {
	Conclusion github.Conclusion `json:"conclusion"`
	Title      string            `json:"title"`
	Summary    string            `json:"summary,omitempty"` // shortened
	Result     bool              `json:"result,omitempty"`  // made from a result that will be delivered again until done
	Held       bool              `json:"held,omitempty"`    // has the button that approves
	Open       bool              `json:"open,omitempty"`    // let through without a verdict
	Gone       bool              `json:"gone,omitempty"`    // GitHub has no such commit or run: nothing to complete
}

// Verdict reports whether the round ended in a statement about the code.
func (r *Record) Verdict() bool {
	return r.State == StateDone && r.Final != nil && !r.Final.Open &&
		(r.Final.Conclusion == github.Success || r.Final.Conclusion == github.Failure)
}

// ExternalID is what GitHub knows the round's check run by.
func (r *Record) ExternalID() string { return r.Key + "." + strconv.Itoa(r.Round) }

// parseExternalID undoes ExternalID.
func parseExternalID(s string) (key string, round int, ok bool) {
	key, n, found := strings.Cut(s, ".")
	round, err := strconv.Atoi(n)
	return key, round, found && err == nil && key != "" && round > 0
}

// jobID names one attempt.
func (r *Record) jobID() string { return fmt.Sprintf("%s.a%d", r.Key, r.Attempt) }

// jobKey is the content of a job as a key: any number of deliveries about the same commit make one job. The gate's
// configuration is read from the base commit, so the base stands for it.
func jobKey(repo int64, head, base, check string) string {
	h := sha256.New()
	for _, s := range []string{strconv.FormatInt(repo, 10), head, base, check} {
		_, _ = fmt.Fprintf(h, "%d:%s", len(s), s) // a hash never fails; lengths keep the fields apart
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
