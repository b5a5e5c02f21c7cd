//go:build cuda

package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/gpu/kernel"
	"github.com/gatebot/gatebot/internal/finding"
)

const kernels = "../../gpu/kernel/testdata/kernels.ptx"

// runKernel starts this program as gatebot-gpu kernel.
func runKernel(t *testing.T, module, launch string, more ...string) (*kernel.Report, int, string) {
	t.Helper()
	cmd := exec.Command(asChild(t), append([]string{"kernel", module, "--json", "--launch", launch}, more...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if out.Len() == 0 {
		return nil, cmd.ProcessState.ExitCode(), errs.String()
	}
	var r kernel.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("%v: %s", err, &out)
	}
	return &r, cmd.ProcessState.ExitCode(), errs.String()
}

func TestKernelPasses(t *testing.T) {
	for _, launch := range []string{
		"../../gpu/kernel/testdata/scale.json",
		`{"kernel":"accumulate","grid":[4],"block":[256],"args":[{"buffer":"x","type":"i32","count":1000,"fill":"random"},{"type":"i32","value":1000}]}`,
	} {
		r, code, errs := runKernel(t, kernels, launch, "--replays", "9")
		if code != 0 || r == nil || r.Status != finding.StatusPass || r.Schema != kernel.Schema || errs != "" {
			t.Fatalf("%s: exit code %d, %+v, %s", launch, code, r, errs)
		}
		var names []string
		for _, c := range r.Checks {
			names = append(names, c.Name)
		}
		if strings.Join(names, " ") != strings.Join(kernel.Names, " ") {
			t.Errorf("checks %v, want %v", names, kernel.Names)
		}
		if r.Attributes == nil || r.Attributes.Registers != 12 || r.Module.Kind != kernel.PTX || len(r.SHA256) != 64 {
			t.Errorf("%+v", r)
		}
	}
}

func TestKernelFails(t *testing.T) {
	const y = `[{"buffer":"y","type":"i32","count":100},{"type":"i32","value":100}]`
	for _, tt := range []struct {
		name, launch, env string
		says              string // how the reason begins
	}{
		{"state outside of the buffers", `{"kernel":"counter","grid":[1],"block":[1],"args":[{"buffer":"y","type":"i32","count":1}]}`, "",
			"eager: two launches from one start state differ: 1 of 1 elements of y"},
		{"out of bounds", `{"kernel":"overrun","grid":[1],"block":[128],"args":` + y + `}`, "",
			"bounds: it wrote at byte 400 of buffer y, which has 400"},
		{"fault", `{"kernel":"fault","grid":[1],"block":[1],"args":[{"buffer":"y","type":"i32","count":1}]}`, "",
			"eager: launch: CUresult 700 CUDA_ERROR_ILLEGAL_ADDRESS"},
		{"replays that do nothing", "../../gpu/kernel/testdata/scale.json", "FAKECUDA_STALE",
			"replay: replay 1 of 100 differs from the eager launch: 4096 of 4096 elements of y"},
		{"too few parameters", `{"kernel":"scale","grid":[1],"block":[1],"args":` + y + `}`, "",
			"launch: the spec has 2 parameters, the kernel 4"},
		{"parameter of another size", `{"kernel":"accumulate","grid":[1],"block":[1],"args":[{"buffer":"x","type":"i32","count":1},{"type":"i64","value":1}]}`, "",
			"launch: args[1] has 8 bytes, the kernel takes 4"},
		{"too many threads", `{"kernel":"overrun","grid":[1],"block":[64,32],"args":` + y + `}`, "",
			"launch: block of 2048 threads, the kernel takes 1024"},
		{"too much shared memory", `{"kernel":"overrun","grid":[1],"block":[1],"shared":300000,"args":` + y + `}`, "",
			"launch: 300000 bytes of dynamic shared memory, this device lets the kernel have 232448"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.env != "" {
				t.Setenv(tt.env, "1")
			}
			r, code, errs := runKernel(t, kernels, tt.launch)
			if code != 1 || r == nil || r.Status != finding.StatusFail || !strings.HasPrefix(r.Reason, tt.says) {
				t.Errorf("exit code %d, %+v, %s", code, r, errs)
			}
		})
	}
}

// What is wrong with the call is no verdict on the kernel.
func TestKernelIsNotJudged(t *testing.T) {
	for _, tt := range []struct {
		name, module, launch string
		code                 int
		says                 string
	}{
		{"hang", kernels, `{"kernel":"spin","grid":[1],"block":[1],"args":[{"buffer":"y","type":"i32","count":1}]}`, 3, "no end after 500ms"},
		{"spec", kernels, `{"grid":[1]}`, 2, "--launch: block: needs one to three numbers"},
		{"no spec", kernels, "no/such.json", 2, "no/such.json"},
		{"no module", "no/such.ptx", `{"grid":[1],"block":[1]}`, 2, "no/such.ptx"},
		{"no kernel", kernels, `{"kernel":"x","grid":[1],"block":[1]}`, 2, "no kernel x in the module"},
	} {
		r, code, errs := runKernel(t, tt.module, tt.launch, "--timeout", "500ms")
		if r != nil || code != tt.code || !strings.Contains(errs, tt.says) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d, %+v, stderr %q", tt.name, code, r, errs)
		}
	}
}
