package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// executable is the path of this program, for a hook to call. A chroot without /proc does not say it; there the name that
// the shell used is looked up as the shell did.
func executable() (string, error) {
	exe, err := os.Executable()
	if err == nil {
		return exe, nil
	}
	found, lookErr := exec.LookPath(os.Args[0])
	if lookErr != nil {
		return "", fmt.Errorf("where is this program: %w (is /proc mounted? else call gatebot by its full path)", err)
	}
	return filepath.Abs(found)
}
