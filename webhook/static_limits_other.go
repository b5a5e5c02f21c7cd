//go:build !linux

package webhook

import (
	"errors"
	"runtime"
	"syscall"
)

func scanAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// limitScan refuses: what strangers wrote is not read by a child without limits.
func limitScan(int) error {
	return errors.New("only Linux sets them for another process, and this is " + runtime.GOOS + " (run gatebot serve there)")
}
