package sandbox

import (
	"os"
	"os/user"
	"slices"
	"strings"
	"testing"
)

// TestOutside: podman and systemctl find the home and the runtime directory of the user they run as, whatever the job was given.
func TestOutside(t *testing.T) {
	t.Parallel()
	me, err := user.LookupId("0")
	if err != nil {
		t.Skip("no user 0 here")
	}
	job := append([]string{"PATH=/bin", "MARK=1", "XDG_RUNTIME_DIR=/elsewhere"}, Fixed()...)
	got := (&Spec{Runtime: "/"}).outside(0, job) // the root folder is root's
	for _, want := range []string{"PATH=/bin", "MARK=1", "HOME=" + me.HomeDir, "XDG_RUNTIME_DIR=/"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing: %v", want, got)
		}
	}
	if n := strings.Count("\n"+strings.Join(got, "\n"), "\nHOME="); n != 1 || slices.Contains(got, "TMPDIR=/tmp") {
		t.Errorf("the job's own: %v", got)
	}
	other := (&Spec{Runtime: t.TempDir()}).outside(os.Getuid()+12345, job)
	if i := slices.IndexFunc(other, func(kv string) bool { return strings.HasPrefix(kv, "XDG_RUNTIME_DIR=") }); i >= 0 {
		t.Errorf("another user's runtime directory: %s", other[i])
	}
}
