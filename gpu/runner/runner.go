// Package runner is the agent beside the GPU. It connects outward to the queue, leases one job at a time, checks out
// the job's exact tree from a bundle, runs `gatebot check` on it as a child process, and sends the result back.
//
// The order of its steps is what makes it durable. A result is fsynced on the runner's own disk (the spool) before it
// is published, published before the job is acknowledged, and forgotten only after that; so wherever the process is
// killed, the next start finishes what was begun, and no verdict is lost or made up. A job whose runner died is leased
// to the next one by the queue.
//
// What runs here was written by strangers. The child gets no token, an environment from a list, a fresh directory, a
// time limit, and is killed with everything that it started. What it prints is a log and never a verdict.
package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/gatebot/gatebot/gpu/device"
	"github.com/gatebot/gatebot/internal/queue"
)

// Options describe a runner.
type Options struct {
	Name    string   // as the queue's server knows it
	Pools   []string // whose jobs it takes, the most important first
	WorkDir string   // spool and attempts; one runner at a time

	URL      string // of the queue
	SeedFile string // nkey seed that the queue's server knows this runner by
	TLS      queue.TLS
	Queue    queue.Queue // instead of the three above; not closed by Run

	Executable string   // gatebot itself; default: this program
	RequireGPU bool     // a job without a usable GPU is an infrastructure fault
	GPUs       []string // devices, as sandbox.Pick takes them; empty: the only one there is
	Devices    string   // the same, separated by commas
	LockDir    string   // where runners of one host meet over a device; default /run/lock
	Sandbox    Sandbox
	Health     Health
	Seed       string   // folder that is copied into each job's cache
	Python     string   // interpreter of scripts that developers send; default python3
	SMI        string   // nvidia-smi; default: the one on PATH
	GPUTool    string   // gatebot-gpu; default: the one beside this program
	Wrapper    []string // enters a sandbox; default: this program's runner confine
	Facts      []string // prints sandbox.Facts; default: this program's runner facts
	Env        []string // further variables for the child: NAME takes this process's value, NAME=value sets it
	Keep       bool     // leave attempt directories behind, to look into
	Once       bool     // end after one job

	Lease   time.Duration // when the queue does not say what it grants; default 60 s
	Beat    time.Duration // between heart-beats; default a quarter of Lease
	Timeout time.Duration // of a job that names none, default 30 min; no job gets more than four times this
	Grace   time.Duration // from SIGTERM to SIGKILL; default 10 s
	MaxLog  int64         // bytes of the child's output that are kept; default 8 MiB

	// OwnProcess says that this process is the runner and nothing else: everything that a job leaves behind falls to
	// it as a child and is killed, also what put itself into another session with an empty environment.
	OwnProcess bool
}

func (o *Options) fill() error {
	if err := usable(); err != nil {
		return err
	}
	switch {
	case o.Name == "":
		return errors.New("runner: no name given")
	case len(o.Pools) == 0:
		return errors.New("runner: no pools given (name at least one)")
	case o.WorkDir == "":
		return errors.New("runner: no work directory given")
	case o.Queue == nil && o.URL == "":
		return errors.New("runner: no queue given (its URL is in the server's log)")
	}
	var err error
	if o.WorkDir, err = filepath.Abs(o.WorkDir); err != nil {
		return fmt.Errorf("runner: work directory: %w", err)
	}
	if o.Executable == "" {
		if o.Executable, err = os.Executable(); err != nil {
			return fmt.Errorf("runner: own program: %w", err)
		}
	}
	defaults := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	if err := o.Sandbox.fill(); err != nil {
		return err
	}
	o.Health.fill()
	defaults(&o.Lease, queue.JobLease)
	defaults(&o.Beat, o.Lease/4)
	defaults(&o.Timeout, 30*time.Minute)
	defaults(&o.Grace, 10*time.Second)
	if o.MaxLog <= 0 {
		o.MaxLog = 8 << 20
	}
	return nil
}

type runner struct {
	Options
	log     *slog.Logger
	q       queue.Queue
	notes   queue.Notes
	grants  queue.Grants
	work    *workDir
	spool   *spool
	machine machine

	xids   *device.XidLog
	ecc    map[string]int64  // uncorrected errors at the start, by UUID
	device string            // name of the device, once the canary has seen it
	sang   time.Time         // when the canary last did
	faults int               // infrastructure faults in a row
	out    string            // why it is quarantined when that could not be written down
	reason string            // why it is quarantined
	since  time.Time         // and since when
	manual bool              // because an operator said so
	cards  []queue.CardState // as last looked at
	tries  int               // looks at a quarantined device
	again  time.Time         // when the next one is due

	state beats
}

// Run works until ctx ends, which is no error: the job at hand goes back to the queue. A queue that cannot be reached
// is waited for. An error is what waiting does not mend: bad options, a work directory that is in use or not writable.
func Run(ctx context.Context, o Options, log *slog.Logger) error {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if err := o.fill(); err != nil {
		return err
	}
	r := &runner{Options: o, log: log, q: o.Queue, xids: &device.XidLog{}}
	var err error
	if r.work, err = openWorkDir(o.WorkDir); err != nil {
		return err
	}
	defer r.work.close()
	if r.spool, err = openSpool(filepath.Join(o.WorkDir, "spool")); err != nil {
		return err
	}
	if o.OwnProcess {
		if err := becomeReaper(); err != nil {
			return fmt.Errorf("runner: %w", err)
		}
	}
	if err := r.setUp(ctx); err != nil {
		return r.end(ctx, err)
	}
	defer r.tearDown()
	r.clean()
	if err := undrain(o.WorkDir); err != nil {
		return err
	}
	if r.q == nil {
		c, err := queue.Connect(ctx, queue.Options{URL: o.URL, Name: o.Name, SeedFile: o.SeedFile, TLS: o.TLS,
			Role: queue.RoleRunner, Log: log})
		if err != nil {
			return r.end(ctx, err)
		}
		defer func() { _ = c.Close() }()
		r.q = c
	}
	var ok bool
	if r.notes, ok = r.q.(queue.Notes); !ok {
		return errors.New("runner: this queue keeps no notes")
	}
	if r.grants, ok = r.q.(queue.Grants); !ok {
		return errors.New("runner: this queue numbers no leases")
	}
	stop := r.beating(ctx)
	defer stop()
	if err := r.flush(ctx); err != nil {
		return r.end(ctx, err)
	}
	r.release(ctx)
	log.Info("runner: waiting for jobs", "name", o.Name, "pools", o.Pools)
	for {
		if err := r.step(ctx); errors.Is(err, errDrained) {
			log.Info("runner: drained")
			return undrain(o.WorkDir)
		} else if err != nil {
			return r.end(ctx, err)
		}
		if o.Once {
			return nil
		}
	}
}

// end tells being asked to stop from a failure.
func (r *runner) end(ctx context.Context, err error) error {
	select {
	case <-ctx.Done():
		r.log.Info("runner: stopped")
		return nil
	default:
		return err
	}
}

// step takes one job to its end.
func (r *runner) step(ctx context.Context) error {
	m, done, err := r.take(ctx)
	if err != nil {
		return err
	}
	defer done()
	return r.handle(ctx, m)
}

// tearDown leaves nothing behind that the next start would have to clean.
func (r *runner) tearDown() {
	r.xids.Close()
	if r.machine.tree != nil {
		r.machine.tree.Close()
	}
}
