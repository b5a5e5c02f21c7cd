// Package probelib finds the native probe. It is a package of its own for programs that start processes under the probe
// and judge nothing.
package probelib

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Name is the file name of the native probe.
const Name = "gatebot-probe.so"

// EnvLibrary names the native probe, instead of the one beside the program.
const EnvLibrary = "GATEBOT_PROBE_SO"

// ErrMissing is wrapped when there is no native probe.
var ErrMissing = errors.New("probe missing")

// Find gives the absolute path of the native probe: what GATEBOT_PROBE_SO says, else the one beside this program.
func Find() (string, error) {
	path := os.Getenv(EnvLibrary)
	if path == "" {
		self, err := os.Executable()
		if err != nil {
			return "", fmt.Errorf("%w: %w (name it in %s)", ErrMissing, err, EnvLibrary)
		}
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		path = filepath.Join(filepath.Dir(self), Name)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrMissing, err)
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("%w: %s is not there (make build puts it beside gatebot; or name it in %s)", ErrMissing, path, EnvLibrary)
	}
	return path, nil
}
