package checks

import (
	"math/rand/v2"
	"testing"
)

// TestNamesPlace: names that are not looked at further say nothing of a place or type.
func TestNamesPlace(t *testing.T) {
	parts := []string{"cpu", "host", "gpu", "dev", "device", "dtype", "_", "_", "to", "x", "lens", "CPU", "Host", "GPU", "Device", "DType", "np", "list"}
	placed := 0
	for range 20_000 {
		name := ""
		for range 1 + rand.IntN(4) {
			name += parts[rand.IntN(len(parts))]
		}
		h := hint(name)
		if h.Kind != KindDevice && h.Kind != KindDType && !h.OnCPU() && !h.OnDevice() {
			continue
		}
		placed++
		if !namesPlace(name) {
			t.Errorf("%s is not looked at, and is %v in place %v", name, h.Kind, h.Place)
		}
	}
	if placed == 0 || namesPlace("hidden_states") || namesPlace("x") {
		t.Errorf("%d names of a place, hidden_states %t, x %t", placed, namesPlace("hidden_states"), namesPlace("x"))
	}
}
