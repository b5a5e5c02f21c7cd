package device

import (
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/finding"
)

func TestFits(t *testing.T) {
	b200 := finding.Device{Name: "NVIDIA B200", ComputeCapability: "10.0"}
	for _, tt := range []struct {
		d         finding.Device
		name, min string
		says      string
	}{
		{b200, "", "", ""},
		{b200, "b200", "9.0", ""},
		{b200, "B200", "10.0", ""},
		{b200, "H200", "", "is NVIDIA B200, the configuration asks for H200"},
		{b200, "", "10.3", "has compute capability 10.0, the configuration asks for 10.3"},
		{finding.Device{ComputeCapability: "9.0"}, "", "10.0", "has compute capability 9.0"},
		{finding.Device{ComputeCapability: "9"}, "", "10.0", `"9" is none`},
		{b200, "", "ten", `"ten" is none`},
	} {
		err := Fits(&tt.d, tt.name, tt.min)
		if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%+v, %q, %q: %v", tt.d, tt.name, tt.min, err)
		}
	}
}
