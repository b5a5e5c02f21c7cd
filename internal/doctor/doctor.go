// Package doctor is a list of checks of a set-up and the report of them. What is checked is registered by the command:
// the package knows no GPU, no hook and no server.
package doctor

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Schema of a Report.
const Schema = "gatebot.doctor/v1"

// Status is how a check came out.
type Status string

// The statuses. NotApplicable is a part that this machine or this repository does not use; it is never called ok.
const (
	OK            Status = "ok"
	Warn          Status = "warn"
	Fail          Status = "fail"
	NotApplicable Status = "not_applicable"
)

// Outcome is what a check found.
type Outcome struct {
	Status Status   `json:"status"`
	What   string   `json:"what"`
	Do     string   `json:"do,omitempty"`    // what to do about a warning or failure
	More   []string `json:"more,omitempty"`  // one line each
	Infra  bool     `json:"infra,omitempty"` // a failure of the machine and not of what was checked
}

// Good is a check that holds.
func Good(format string, args ...any) Outcome {
	return Outcome{Status: OK, What: fmt.Sprintf(format, args...)}
}

// Warned is a remark that does not fail the doctor.
func Warned(do, format string, args ...any) Outcome {
	return Outcome{Status: Warn, What: fmt.Sprintf(format, args...), Do: do}
}

// Failed is a check that failed, with what to do.
func Failed(do, format string, args ...any) Outcome {
	return Outcome{Status: Fail, What: fmt.Sprintf(format, args...), Do: do}
}

// Broken is a failure of the machine.
func Broken(do, format string, args ...any) Outcome {
	o := Failed(do, format, args...)
	o.Infra = true
	return o
}

// None is a part that is not used here.
func None(format string, args ...any) Outcome {
	return Outcome{Status: NotApplicable, What: fmt.Sprintf(format, args...)}
}

// Check is one entry of a registry.
type Check struct {
	Name    string        // one word
	About   string        // what it proves
	Needs   []string      // checks before it, of which none may have failed or not been applicable
	Timeout time.Duration // 0: a minute
	Run     func(ctx context.Context) Outcome
}

// Registry is a list of checks in the order in which they run.
type Registry []Check

// Line is one check of a report.
type Line struct {
	Check string `json:"check"`
	Outcome
	DurationMS int64 `json:"duration_ms"`
}

// Report is what the doctor says.
type Report struct {
	Schema string `json:"schema"`
	Tool   string `json:"tool"` // version of gatebot
	Status Status `json:"status"`
	Lines  []Line `json:"checks"`
}

// Names gives the names of the checks.
func (r Registry) Names() []string {
	var out []string
	for _, c := range r {
		out = append(out, c.Name)
	}
	return out
}

// Select keeps the named checks and what they need. An unknown name is an error.
func (r Registry) Select(names []string) (Registry, error) {
	want := map[string]bool{}
	var add func(name string) error
	add = func(name string) error {
		i := slices.IndexFunc(r, func(c Check) bool { return c.Name == name })
		if i < 0 {
			return fmt.Errorf("no check %q (there are %v)", name, r.Names())
		}
		want[name] = true
		for _, n := range r[i].Needs {
			if err := add(n); err != nil {
				return err
			}
		}
		return nil
	}
	for _, name := range names {
		if err := add(name); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(slices.Clone(r), func(c Check) bool { return !want[c.Name] }), nil
}

// Run runs the checks one after another. say, which may be nil, is told what runs.
func (r Registry) Run(ctx context.Context, say func(name string)) *Report {
	rep := &Report{Schema: Schema, Status: OK}
	by := map[string]Status{}
	for _, c := range r {
		if say != nil {
			say(c.Name)
		}
		began := time.Now()
		o := c.outcome(ctx, by)
		by[c.Name] = o.Status
		rep.Lines = append(rep.Lines, Line{c.Name, o, time.Since(began).Milliseconds()})
		switch {
		case o.Status == Fail:
			rep.Status = Fail
		case o.Status == Warn && rep.Status == OK:
			rep.Status = Warn
		}
	}
	return rep
}

// outcome runs one check. One that does not come to an end, or that breaks, has failed.
func (c Check) outcome(ctx context.Context, by map[string]Status) Outcome {
	for _, n := range c.Needs {
		if s := by[n]; s != OK && s != Warn {
			return None("needs %s", n)
		}
	}
	limit := c.Timeout
	if limit <= 0 {
		limit = time.Minute
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no end after %s", limit))
	defer cancel()
	done := make(chan Outcome, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- Broken("please report it", "internal error: %v", p)
			}
		}()
		done <- c.Run(ctx)
	}()
	select {
	case o := <-done:
		switch o.Status {
		case OK, Warn, Fail, NotApplicable:
			return o
		}
		return Broken("please report it", "internal error: the check has no outcome")
	case <-ctx.Done():
		return Broken("see whether the driver or the network hangs", "%v", context.Cause(ctx))
	}
}

// ExitCode is that of the command: 0 when nothing failed, 3 when the machine failed, else 1.
func (r *Report) ExitCode() int {
	code := 0
	for _, l := range r.Lines {
		switch {
		case l.Status == Fail && l.Infra:
			return 3
		case l.Status == Fail:
			code = 1
		}
	}
	return code
}
