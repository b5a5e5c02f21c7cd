package webhook

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// scanAttr: a process group of its own, which dies with this process.
func scanAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// limitScan sets the limits of a child that runs already; one that has ended needs none.
func limitScan(pid int) error {
	for what, limit := range map[int]uint64{unix.RLIMIT_AS: scanMemory, unix.RLIMIT_CPU: scanCPU, unix.RLIMIT_NOFILE: scanFiles, unix.RLIMIT_CORE: 0} {
		if err := unix.Prlimit(pid, what, &unix.Rlimit{Cur: limit, Max: limit}, nil); err != nil && !errors.Is(err, unix.ESRCH) {
			return err
		}
	}
	return nil
}
