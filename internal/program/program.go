// Package program writes small programs that tests run.
package program

import (
	"os"
	"syscall"
	"testing"
)

// Write makes an executable file. No process is forked meanwhile: a child that another test starts holds every open file until
// its own exec, and a file that somebody holds open for writing cannot be executed (text file busy).
func Write(t testing.TB, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	err := os.WriteFile(path, []byte(text), 0o700) //nolint:gosec // a program
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
}
