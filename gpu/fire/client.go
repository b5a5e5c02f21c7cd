package fire

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/gatebot/gatebot/internal/bundle"
	"github.com/gatebot/gatebot/internal/queue"
)

// Queue is what a client needs of the queue.
type Queue interface {
	queue.Queue
	queue.Notes
}

// Client sends and follows jobs.
type Client struct {
	Name, Pool string
	Queue      Queue
	// Say is told, in short lines, what is being waited for; may be nil.
	Say func(format string, v ...any)
	// Patience is how long a job may wait for a runner; 0: for ever.
	Patience time.Duration
}

// connectFor is how long a server that does not answer is waited for. Somebody sits there.
const connectFor = 10 * time.Second

// answerFor is how long one request may go without an answer: a server that stands still for some seconds, on a disk that
// does, costs nobody the job.
const answerFor = 20 * time.Second

// ErrUnreachable means that the server cannot be reached.
var ErrUnreachable = errors.New("the server cannot be reached")

// Dial connects a client. Close its Queue afterwards.
func Dial(ctx context.Context, c *Config, log *slog.Logger) (*Client, error) {
	o := c.options()
	o.Log = log
	ctx, cancel := context.WithTimeout(ctx, connectFor)
	defer cancel()
	q, err := queue.Connect(ctx, o)
	if err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%w: %w (is gatebot serve up, and this client's key in its configuration?)", ErrUnreachable, err)
		}
		return nil, err
	}
	return &Client{Name: c.Name, Pool: c.Pool, Queue: q}, nil
}

// Outcome is how a job ended.
type Outcome struct {
	queue.FireState
	ID string
}

// Run bundles the commit of the repository in dir, sends the job and follows it to its end; what it prints goes to log
// while it runs. job.ID, Head, Tree and Bundle are filled in. When ctx ends the job is taken back.
func (c *Client) Run(ctx context.Context, dir string, s Snapshot, job queue.Fire, log io.Writer) (*Outcome, error) {
	job.ID, job.Head, job.Tree, job.Sent = newID(), s.Commit, s.Tree, time.Now().UTC()
	if err := c.store(ctx, dir, &job); err != nil {
		return nil, err
	}
	data, err := json.Marshal(job)
	if err != nil {
		return nil, fmt.Errorf("fire: %w", err)
	}
	if _, err := c.Queue.Publish(ctx, queue.Jobs, queue.FireSub(c.Pool, c.Name), job.ID, data); err != nil {
		return nil, fmt.Errorf("fire: %w", err)
	}
	c.say("job %s sent to pool %s, waiting for a runner", job.ID, c.Pool)
	out, err := c.follow(ctx, job.ID, log)
	if err != nil && (ctx.Err() != nil || errors.Is(err, errNobody)) {
		c.takeBack(ctx, job.ID, err.Error())
	}
	return out, err
}

func (c *Client) say(format string, v ...any) {
	if c.Say != nil {
		c.Say(format, v...)
	}
}

func newID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}

// store writes the bundle to a file first: its size and checksum go with the job.
func (c *Client) store(ctx context.Context, dir string, job *queue.Fire) error {
	f, err := os.CreateTemp("", "gatebot-fire-*")
	if err != nil {
		return fmt.Errorf("fire: %w", err)
	}
	defer func() {
		_ = f.Close()
		_ = os.Remove(f.Name())
	}()
	sum := sha256.New()
	if err := bundle.WriteGit(ctx, dir, job.Head, job.Base, io.MultiWriter(f, sum)); err != nil {
		return fmt.Errorf("fire: %w", err)
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("fire: %w", err)
	}
	job.Bundle = queue.Blob{Name: queue.FireBundleName(c.Pool, c.Name, job.ID), SHA256: hex.EncodeToString(sum.Sum(nil)), Size: size}
	c.say("sending %d KiB", (size+1023)>>10)
	if err := c.Queue.PutBlob(ctx, job.Bundle.Name, f); err != nil {
		return fmt.Errorf("fire: %w", err)
	}
	return nil
}

// takeBackFor is how long somebody who pressed Ctrl-C waits for a server that stands still.
const takeBackFor = 10 * time.Second

// takeBack leaves word that the job is not wanted any more. It has a moment of its own: ctx may have ended.
func (c *Client) takeBack(ctx context.Context, id, reason string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), takeBackFor)
	defer cancel()
	if err := queue.CancelJob(ctx, c.Queue, c.Pool, c.Name, id, reason); err != nil {
		c.say("the job could not be taken back, it runs to its end: %v", err)
		return
	}
	c.say("job %s taken back", id)
}
