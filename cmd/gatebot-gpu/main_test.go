package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// The tests start themselves as gatebot-gpu.
func TestMain(m *testing.M) {
	if os.Getenv("GATEBOT_GPU_CHILD") != "" {
		main()
	}
	os.Exit(m.Run())
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"nonsense"}, {"inventory", "x"}, {"inventory", "--device", "1"}, {"canary", "--device", "x"}, {"canary", "--require-python", "--python", "none"}, {"kernel"}, {"kernel", "a", "b", "--launch", "c"},
		{"kernel", "a.ptx"}, {"kernel", "a.ptx", "--launch", "{}", "--replays", "0"}} {
		var out, errs bytes.Buffer
		if code := run(args, &out, &errs); code != 2 || out.Len() > 0 || errs.Len() == 0 {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", args, code, &out, &errs)
		}
	}
	var out, errs bytes.Buffer
	if code := run([]string{"version"}, &out, &errs); code != 0 || !strings.HasPrefix(out.String(), "gatebot-gpu ") {
		t.Errorf("version: exit code %d, %q", code, &out)
	}
}
