//go:build crashpoints

package crash

import (
	"os"
	"syscall"
)

// At kills the process when the environment asks for this point and the marker file does not exist yet.
func At(point string) {
	if os.Getenv("GATEBOT_CRASH_AT") != point {
		return
	}
	f, err := os.OpenFile(os.Getenv("GATEBOT_CRASH_ONCE"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return // already crashed here once
	}
	_ = f.Close()
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // the signal is on its way
}
