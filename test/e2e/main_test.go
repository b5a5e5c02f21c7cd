package e2e

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// gatebot is the executable under test, built once with the points at which it kills itself.
var gatebot string

func TestMain(m *testing.M) {
	flag.Parse()
	// The tests wait for other processes most of the time: more of them at once than there are cores.
	if f := flag.Lookup("test.parallel"); f != nil {
		if err := f.Value.Set("12"); err != nil {
			panic(err)
		}
	}
	os.Exit(run(m))
}

func run(m *testing.M) (code int) {
	dir, err := os.MkdirTemp("", "gatebot-e2e-")
	if err != nil {
		return complain(err)
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			code = complain(err)
		}
	}()
	gatebot = filepath.Join(dir, "gatebot")
	// Never with -race: the children are what is measured against their time limits, and have race tests of their own.
	build := exec.Command("go", "build", "-tags", "crashpoints", "-o", gatebot, "github.com/gatebot/gatebot/cmd/gatebot")
	var out bytes.Buffer
	build.Stdout, build.Stderr = &out, &out
	if err := build.Run(); err != nil {
		return complain(fmt.Errorf("build gatebot: %w: %s", err, out.String()))
	}
	return m.Run()
}

func complain(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		return exit.ExitCode()
	}
	fmt.Fprintln(os.Stderr, "e2e:", err)
	return 1
}
