package device

import (
	"os"
	"slices"
	"strings"
)

// EnvDisable names detectors, comma separated, that act as if they saw nothing. It is there to prove that the canary
// notices a blind detector: with it set the canary never passes.
const EnvDisable = "GATEBOT_DISABLE_DETECTOR"

// The canary's detectors.
const (
	DetectCapture = "capture" // the driver refuses the call, or the capture does not end
	DetectWork    = "work"    // the graph holds less than was issued
	DetectReplay  = "replay"  // a replay with other inputs gives other bytes than eager mode
	DetectProbe   = "probe"   // the injected probe records the call
	DetectTorch   = "torch"   // torch's own sync-debug mode reports the call
)

// Detectors are all of them.
var Detectors = []string{DetectCapture, DetectWork, DetectReplay, DetectProbe, DetectTorch}

// Disabled gives the detectors that the environment switches off.
func Disabled() []string {
	var out []string
	for name := range strings.SplitSeq(os.Getenv(EnvDisable), ",") {
		if name = strings.TrimSpace(name); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// Detection is what one detector made of one plant. Want is whether it has to see it; one that sees more is welcome,
// except in a clean step.
type Detection struct {
	Detector string `json:"detector"`
	Want     bool   `json:"want"`
	Caught   bool   `json:"caught"`
	Off      bool   `json:"off,omitempty"`     // switched off by EnvDisable
	Unknown  string `json:"unknown,omitempty"` // why it could not look
}

// detection applies the switch.
func (r *Report) detection(name string, want, caught bool) Detection {
	off := slices.Contains(r.Disabled, name)
	return Detection{Detector: name, Want: want, Caught: caught && !off, Off: off}
}
