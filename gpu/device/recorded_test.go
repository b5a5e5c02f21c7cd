package device

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gatebot/gatebot/internal/finding"
)

// TestRecordedH200 reads what gatebot-gpu printed on a real card (driver 580.159.04, CUDA 13.0, 2026-11-29).
func TestRecordedH200(t *testing.T) {
	read := func(name string, into any) {
		t.Helper()
		data, err := os.ReadFile("testdata/h200/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, into); err != nil {
			t.Fatal(err)
		}
	}
	var inv Inventory
	read("inventory.json", &inv)
	want := &finding.Device{Name: "NVIDIA H200", ComputeCapability: "9.0", Driver: "580.159.04", CUDA: "13.0",
		UUID: "GPU-63bc1ea0-cc0d-25ae-85e6-46f928d6f2a3"}
	if d := cmp.Diff(want, inv.Device(0)); inv.Schema != InventorySchema || d != "" {
		t.Errorf("schema %s: %s", inv.Schema, d)
	}
	var rep Report
	read("canary.json", &rep)
	if rep.Schema != CanarySchema || rep.Status != finding.StatusPass || len(rep.Steps) != 26 || rep.Python.Torch != "2.11.0+cu130" {
		t.Errorf("canary: schema %s, status %s, %d steps", rep.Schema, rep.Status, len(rep.Steps))
	}
	for _, s := range rep.Steps {
		if s.Status != finding.StatusPass || s.Call != s.WantCall || s.End != s.WantEnd {
			t.Errorf("%+v", s)
		}
	}
	var h Health
	read("health.json", &h)
	if h.Schema != HealthSchema || len(h.Devices) != 2 || h.Devices[0].Uncorrected == nil || h.Partly != "" || len(h.Xids) != 1 {
		t.Errorf("health: %+v", h)
	}
	// another program had faulted on the second card, and an Xid of a program keeps no card from being trusted
	for i, want := range []int{0, 1} {
		if p := h.Problems(i, Since); len(p) != want || want > 0 && p[0].Fatal {
			t.Errorf("device %d: %+v", i, p)
		}
	}
}
