package kernel

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/internal/finding"
)

func TestInspect(t *testing.T) {
	read := func(name string) []byte {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	m, err := Inspect(read("kernels.ptx"))
	want := &Module{Kind: PTX, Target: "sm_70", Kernels: []string{"scale", "accumulate", "counter", "overrun", "fault", "spin"}}
	if err != nil || cmp.Diff(want, m) != "" {
		t.Errorf("ptx: %v %s", err, cmp.Diff(want, m))
	}
	// k.cu, compiled by nvcc 13.0 for sm_90
	m, err = Inspect(read("k-sm_90.cubin"))
	want = &Module{Kind: Cubin, Kernels: []string{"atomics", "by_value", "scale", "semaphore", "shared_big"}}
	if err != nil || cmp.Diff(want, m) != "" {
		t.Errorf("cubin: %v %s", err, cmp.Diff(want, m))
	}
	if m, err := Inspect(read("k.fatbin")); err != nil || m.Kind != Fatbin {
		t.Errorf("fatbin: %+v, %v", m, err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	host, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		image []byte
		says  string
	}{
		{"nothing", nil, "neither PTX nor cubin nor fatbin"},
		{"text", []byte("call .version here\n"), "neither PTX"},
		{"half an ELF file", []byte("\x7fELF\x02\x01\x01"), "cubin:"},
		{"a program", host, "no cubin"},
	} {
		if _, err := Inspect(tt.image); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.says)
		}
	}
}

// TestRecordedH200 reads what gatebot-gpu kernel printed on a real card.
func TestRecordedH200(t *testing.T) {
	data, err := os.ReadFile("testdata/scale-h200.json")
	if err != nil {
		t.Fatal(err)
	}
	var r Report
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	if r.Schema != Schema || r.Status != finding.StatusPass || r.Attributes.Registers != 10 || r.Attributes.Binary != 90 ||
		r.Attributes.Parameters != 4 || len(r.Checks) != len(Names) {
		t.Errorf("%+v", r)
	}
	r.Conclude()
	if r.Status != finding.StatusPass {
		t.Errorf("concluded again: %s %s", r.Status, r.Reason)
	}
}

func TestChoose(t *testing.T) {
	for _, tt := range []struct {
		m          Module
		name, want string
		says       string
	}{
		{Module{Kernels: []string{"a"}}, "", "a", ""},
		{Module{Kernels: []string{"a", "b"}}, "b", "b", ""},
		{Module{Kind: Fatbin}, "b", "b", ""},
		{Module{Kernels: []string{"a", "b"}}, "", "", "the module has 2: a, b"},
		{Module{Kernels: []string{"a", "b"}}, "c", "", "no kernel c in the module (it has a, b)"},
		{Module{Kind: Fatbin}, "", "", "a fatbin does not tell"},
	} {
		got, err := tt.m.Choose(tt.name)
		if got != tt.want || (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%+v, %q: %q, %v", tt.m, tt.name, got, err)
		}
	}
}

func FuzzInspect(f *testing.F) {
	f.Add([]byte(".version 7.0\n.target sm_70\n.entry k("))
	f.Add([]byte("\x7fELF\x02\x01\x01"))
	f.Add([]byte{0x50, 0xed, 0x55, 0xba})
	f.Fuzz(func(t *testing.T, image []byte) {
		m, err := Inspect(image)
		if (m == nil) == (err == nil) {
			t.Errorf("module %v, error %v", m, err)
		}
	})
}
