package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Notes are small values under a name, the newest of which is kept: the log of a developer's job in pieces, its state,
// and the word that a job is not wanted any more. Unlike records they can be written and read by runners and clients,
// each below its own part of the names.
type Notes interface {
	PutNote(ctx context.Context, name string, data []byte) error
	GetNote(ctx context.Context, name string) ([]byte, error) // or ErrNotFound
}

var (
	_ Notes = (*Conn)(nil)
	_ Notes = (*Memory)(nil)
)

const (
	noteStream = "NOTES"
	notesAge   = 3 * 24 * time.Hour
	gateJobs   = "gate" // stands for a client where a job is the server's own
)

// owner is the client in names; the server's own jobs have none.
func owner(client string) string {
	if client == "" {
		return gateJobs
	}
	return client
}

// LogName is the n-th piece, from 0, of the log of a job in its epoch-th lease. client is empty for the server's own jobs.
func LogName(pool, client, id string, epoch, n int) string {
	return fmt.Sprintf("logs/%s/%s/%s/%d/%d", pool, owner(client), id, epoch, n)
}

// StateName is where the state of a client's job is kept.
func StateName(pool, client, id string) string {
	return fmt.Sprintf("logs/%s/%s/%s/state", pool, client, id)
}

// CancelName is where the word is left that a job is not wanted any more. client is empty for the server's own jobs.
func CancelName(pool, client, id string) string {
	return fmt.Sprintf("cancels/%s/%s/%s", pool, owner(client), id)
}

// FireBundleName is the name under which a client stores the bundle of a job.
func FireBundleName(pool, client, id string) string {
	return "fires/" + pool + "/" + client + "/" + id
}

// CancelJob asks the runner that has a job, or will get it, not to go on with it.
func CancelJob(ctx context.Context, n Notes, pool, client, id, reason string) error {
	return n.PutNote(ctx, CancelName(pool, client, id), []byte(reason))
}

// Cancelled reports whether CancelJob was called for a job, and why.
func Cancelled(ctx context.Context, n Notes, pool, client, id string) (reason string, yes bool, err error) {
	data, err := n.GetNote(ctx, CancelName(pool, client, id))
	if errors.Is(err, ErrNotFound) {
		return "", false, nil
	}
	return string(data), err == nil, err
}

// PutNote implements Notes.
func (c *Conn) PutNote(ctx context.Context, name string, data []byte) error {
	subject, err := escapePath(name)
	if err != nil {
		return err
	}
	if !c.nc.IsConnected() {
		if c.nc.IsClosed() {
			return ErrClosed
		}
		return fmt.Errorf("queue: note %s: %w", name, ErrUnavailable)
	}
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	m := &nats.Msg{Subject: "notes." + subject, Header: nats.Header{}}
	if err := pack(m, data); err != nil {
		return fmt.Errorf("queue: note %s: %w", name, err)
	}
	if _, err = c.js.PublishMsg(ctx, m, jetstream.WithExpectStream(noteStream), jetstream.WithRetryAttempts(0)); err != nil {
		return fmt.Errorf("queue: note %s: %w", name, c.classify(err))
	}
	return nil
}

// GetNote implements Notes.
func (c *Conn) GetNote(ctx context.Context, name string) ([]byte, error) {
	subject, err := escapePath(name)
	if err != nil {
		return nil, err
	}
	m, err := c.newest(ctx, noteStream, "notes."+subject)
	if err != nil {
		return nil, fmt.Errorf("queue: note %s: %w", name, err)
	}
	return unpack(m.Header, m.Data)
}

// newest reads the newest message of a subject. It asks by subject, which permissions can name.
func (c *Conn) newest(ctx context.Context, stream, subject string) (*nats.Msg, error) {
	if c.nc.IsClosed() {
		return nil, ErrClosed
	}
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	m, err := c.nc.RequestWithContext(ctx, c.opts.APIPrefix+".DIRECT.GET."+stream+"."+subject, nil)
	if err != nil {
		return nil, c.classify(err)
	}
	switch status := m.Header.Get("Status"); status {
	case "":
		return m, nil
	case "404":
		return nil, ErrNotFound
	default:
		return nil, fmt.Errorf("status %s %s", status, m.Header.Get("Description"))
	}
}

// PutNote implements Notes.
func (m *Memory) PutNote(ctx context.Context, name string, data []byte) error {
	return m.PutBlob(ctx, "notes/"+name, strings.NewReader(string(data)))
}

// GetNote implements Notes.
func (m *Memory) GetNote(ctx context.Context, name string) ([]byte, error) {
	if _, err := escapePath(name); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.usable(); err != nil {
		return nil, err
	}
	data, ok := m.blobs["notes/"+name]
	if !ok {
		return nil, fmt.Errorf("queue: note %s: %w", name, ErrNotFound)
	}
	return data, ctx.Err()
}

// RunnerState is what a runner says of itself with every beat.
type RunnerState struct {
	Name   string    `json:"name"`
	Pools  []string  `json:"pools"`
	State  string    `json:"state"`            // one of the constants below
	Reason string    `json:"reason,omitempty"` // of a quarantine
	Job    string    `json:"job,omitempty"`
	Device string    `json:"device,omitempty"`
	At     time.Time `json:"at"`

	// Since when it is quarantined, and whether an operator said so, who then ends it.
	Since  time.Time `json:"since,omitzero"`
	Manual bool      `json:"manual,omitempty"`
	// Cards are its devices as it last looked at them, which it does before and after each job.
	Cards []CardState `json:"cards,omitempty"`
}

// CardState is one device as a runner saw it.
type CardState struct {
	Name        string    `json:"name"`
	UUID        string    `json:"uuid"`
	Driver      string    `json:"driver"`
	TotalBytes  int64     `json:"total_bytes"`
	UsedBytes   int64     `json:"used_bytes"`
	Celsius     *int64    `json:"celsius,omitempty"`
	Uncorrected *int64    `json:"ecc_uncorrected,omitempty"` // memory errors since the driver was loaded
	Processes   int       `json:"processes"`                 // that use it
	At          time.Time `json:"at"`
}

// States of a runner.
const (
	RunnerIdle        = "idle"
	RunnerBusy        = "busy"
	RunnerQuarantined = "quarantined"
	RunnerDraining    = "draining" // has a job, and ends after it
	RunnerStopped     = "stopped"
)

// RunnerFresh is how old a state may be for its runner to count as there.
const RunnerFresh = time.Minute

// Fresh reports whether the runner was heard of lately.
func (s *RunnerState) Fresh(now time.Time) bool { return now.Sub(s.At) <= RunnerFresh }

func beatName(runner string) string { return "beats/" + runner }

// Beat says how a runner is. Only that runner can say so.
func Beat(ctx context.Context, n Notes, s RunnerState) error {
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("queue: beat: %w", err)
	}
	return n.PutNote(ctx, beatName(s.Name), data)
}

// RunnerStates are the newest words of the named runners; one that was never heard of is left out.
func RunnerStates(ctx context.Context, n Notes, names ...string) ([]RunnerState, error) {
	var all []RunnerState
	for _, name := range names {
		data, err := n.GetNote(ctx, beatName(name))
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		var s RunnerState
		if err := json.Unmarshal(data, &s); err != nil || s.Name != name {
			continue // the word of a runner of another version
		}
		all = append(all, s)
	}
	return all, nil
}
