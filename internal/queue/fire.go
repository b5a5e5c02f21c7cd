package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Fire is a job that a developer sends: a script to run on a runner's device, or the checks of a commit. It never makes
// a check run and its result is nobody's verdict but the sender's.
type Fire struct {
	ID      string        `json:"id"` // letters and digits, the sender's choice
	Name    string        `json:"name"`
	Script  string        `json:"script,omitempty"` // path in the tree; empty: gatebot check
	Args    []string      `json:"args,omitempty"`
	Only    []string      `json:"only,omitempty"` // checks to run, without a script; empty: all
	Head    string        `json:"head"`
	Tree    string        `json:"tree"`
	Base    string        `json:"base,omitempty"`
	Bundle  Blob          `json:"bundle"`
	Timeout time.Duration `json:"timeout"`
	Sent    time.Time     `json:"sent"`
}

// FireState is how a developer's job stands.
type FireState struct {
	State   string          `json:"state"` // FireStarted or FireDone
	Epoch   int             `json:"epoch"` // lease that it is about
	Runner  string          `json:"runner"`
	Device  string          `json:"device,omitempty"`
	Pieces  int             `json:"pieces"`           // of the log, when done
	Class   Class           `json:"class,omitempty"`  // when done: verdict (Code counts), infra, timeout or cancelled
	Code    int             `json:"code"`             // exit code of the script or of gatebot check
	Reason  string          `json:"reason,omitempty"` // when there is no code
	Results json.RawMessage `json:"results,omitempty"`
	At      time.Time       `json:"at"`
}

// States of a developer's job.
const (
	FireStarted = "started"
	FireDone    = "done"
)

// GetFireState reads how a client's job stands, or ErrNotFound before a runner has taken it.
func GetFireState(ctx context.Context, n Notes, pool, client, id string) (*FireState, error) {
	data, err := n.GetNote(ctx, StateName(pool, client, id))
	if err != nil {
		return nil, err
	}
	var s FireState
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("queue: state of job %s: %w", id, err)
	}
	return &s, nil
}

// PutFireState writes it.
func PutFireState(ctx context.Context, n Notes, pool, client, id string, s FireState) error {
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("queue: state of job %s: %w", id, err)
	}
	return n.PutNote(ctx, StateName(pool, client, id), data)
}

type exhaustedFunc = func(ctx context.Context, sub string, data []byte, deliveries int) error

// exceptFires ends a developer's job that runners gave up by telling its sender, and leaves all others to f.
func exceptFires(n Notes, g Grants, f exhaustedFunc) exhaustedFunc {
	return func(ctx context.Context, sub string, data []byte, deliveries int) error {
		pool, client, ok := ParseFireSub(sub)
		if !ok {
			return f(ctx, sub, data, deliveries)
		}
		var job Fire
		if err := json.Unmarshal(data, &job); err != nil || job.ID == "" {
			return nil //nolint:nilerr // nobody can be told about a job without a name
		}
		grant, err := g.Claim(ctx, pool, client, job.ID, "") // fences off what a runner may still say
		if errors.Is(err, ErrSettled) {
			return nil
		}
		if err != nil {
			return err
		}
		return PutFireState(ctx, n, pool, client, job.ID, FireState{State: FireDone, Epoch: grant.Epoch, Class: ClassInfra,
			Reason: fmt.Sprintf("%d runners in turn took the job and none finished it", deliveries), At: time.Now().UTC()})
	}
}
