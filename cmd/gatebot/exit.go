package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gatebot/gatebot/internal/config"
)

// The exit codes of every command (DESIGN 5.1).
const (
	exitClean    = 0
	exitFindings = 1 // gating findings or a failed check
	exitUsage    = 2 // wrong use or configuration
	exitInfra    = 3 // the tool could not finish
)

// exitError carries an exit code that is not exitInfra. A nil err says nothing on stderr.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usagef is a mistake in how a command was called.
func usagef(format string, args ...any) error {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// exitCode maps the error of a command to its exit code, the one place where that is decided.
func exitCode(err error) int {
	if err == nil {
		return exitClean
	}
	var ee *exitError
	if errors.As(err, &ee) {
		return ee.code
	}
	var ce *config.Error
	if errors.As(err, &ce) {
		return exitUsage
	}
	return exitInfra
}

// complain writes an error the way every command does: one `gatebot: what: why (what to do)` a line.
func complain(w io.Writer, err error) {
	var ee *exitError
	if errors.As(err, &ee) && ee.err == nil {
		return
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	for _, line := range strings.Split(strings.TrimRight(err.Error(), "\n"), "\n") {
		_, _ = fmt.Fprintf(w, "gatebot: %s\n", line) // nothing is left to say it to
	}
}
