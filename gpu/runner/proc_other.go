//go:build !linux

package runner

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// usable refuses a system where what a job leaves behind cannot be found and ended: control groups, /proc and the sandbox
// are Linux's.
func usable() error {
	return errors.New("runner: jobs run on Linux only, and this is " + runtime.GOOS + " (start gatebot runner on the GPU host)")
}

func becomeReaper() error { return usable() }

func startIn(*syscall.SysProcAttr, *os.File) {}
