package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Progress is how far a runner is with a job: a note beside the log, overwritten as the job goes on. It is for people and
// decides nothing. The log so far is the pieces 0 to Pieces-1 of LogName under the same Epoch.
type Progress struct {
	Epoch  int       `json:"epoch"` // lease that it is about
	Runner string    `json:"runner"`
	Phase  string    `json:"phase"`           // what goes on: source, device, canary, eager, capture, …
	Done   int       `json:"done,omitempty"`  // of Total, within the phase
	Total  int       `json:"total,omitempty"` // 0: not known, or nothing to count
	Unit   string    `json:"unit,omitempty"`  // what is counted: regions, steps
	Pieces int       `json:"pieces"`          // of the log, sent so far
	At     time.Time `json:"at"`
	Ended  bool      `json:"ended,omitempty"` // the runner is done with it, whatever came of it; nothing follows
}

// String is the progress in a few words, such as "capture: 43 of 62 regions".
func (p Progress) String() string {
	switch {
	case p.Total > 0:
		return fmt.Sprintf("%s: %d of %d %s", p.Phase, p.Done, p.Total, p.Unit)
	case p.Done > 0:
		return fmt.Sprintf("%s: %s %d", p.Phase, p.Unit, p.Done)
	}
	return p.Phase
}

// ProgressName is where the progress of a job is kept. client is empty for the server's own jobs, as in LogName.
func ProgressName(pool, client, id string) string {
	return fmt.Sprintf("logs/%s/%s/%s/progress", pool, owner(client), id)
}

// PutProgress writes it.
func PutProgress(ctx context.Context, n Notes, pool, client, id string, p Progress) error {
	data, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("queue: progress of job %s: %w", id, err)
	}
	return n.PutNote(ctx, ProgressName(pool, client, id), data)
}

// GetProgress reads it, or ErrNotFound before a runner has taken the job and days after it has ended.
func GetProgress(ctx context.Context, n Notes, pool, client, id string) (*Progress, error) {
	data, err := n.GetNote(ctx, ProgressName(pool, client, id))
	if err != nil {
		return nil, err
	}
	var p Progress
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, fmt.Errorf("queue: progress of job %s: %w", id, err)
	}
	return &p, nil
}
