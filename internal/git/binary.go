package git

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// MinVersion is the oldest git whose plumbing does everything asked for here.
const MinVersion = "2.25"

var (
	binaryMu sync.Mutex
	binaries = map[string]error{} // by path: nil when the version will do
)

// findBinary looks git up in PATH.
func findBinary() (string, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return "", fmt.Errorf("%w: not in PATH (install git %s or newer)", ErrNoBinary, MinVersion)
	}
	return path, nil
}

// usable asks each binary for its version once per process.
func usable(ctx context.Context, path string) error {
	binaryMu.Lock()
	defer binaryMu.Unlock()
	if err, seen := binaries[path]; seen {
		return err
	}
	c := newCommander(path, "", nil)
	out, err := c.run(ctx, nil, "version")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoBinary, err) // perhaps only this once: not remembered
	}
	binaries[path] = checkVersion(string(out))
	return binaries[path]
}

// checkVersion judges a line such as "git version 2.39.5 (Apple Git-154)".
func checkVersion(line string) error {
	fields := strings.Fields(line)
	if len(fields) < 3 {
		return fmt.Errorf("%w: it says %q for its version", ErrNoBinary, strings.TrimSpace(line))
	}
	have, ok := versionNumber(fields[2])
	want, _ := versionNumber(MinVersion)
	if !ok || have < want {
		return fmt.Errorf("%w: version %s (install git %s or newer)", ErrNoBinary, fields[2], MinVersion)
	}
	return nil
}

// versionNumber makes major and minor comparable.
func versionNumber(s string) (int, bool) {
	parts := strings.SplitN(s, ".", 3)
	if len(parts) < 2 {
		return 0, false
	}
	major, err1 := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(parts[1])
	return major*1000 + minor, err1 == nil && err2 == nil
}
