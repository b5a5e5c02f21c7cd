//go:build !cuda

package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestBuiltWithoutCUDA(t *testing.T) {
	for _, args := range [][]string{{"inventory", "--json"}, {"canary", "--json"}} {
		var out, errs bytes.Buffer
		code := run(args, &out, &errs)
		if code != 3 || out.Len() > 0 || !strings.Contains(errs.String(), "no CUDA device: built without the tag cuda") {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", args, code, &out, &errs)
		}
	}
}
