package dynamic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

// EnvDisable is the environment variable that names detectors, separated by commas, that are to act as if they saw
// nothing. It is there to show that a blind detector is noticed: with it set nothing passes.
//
// The probe knows "probe" and, for one class of calls, "probe.sync", "probe.copy" and so on; the harness knows "torch";
// the checks know their own names and "work", the comparison of a graph with what the eager step launched.
const EnvDisable = "GATEBOT_DISABLE_DETECTOR"

// Work is the detector that compares what a graph holds with what the eager step launched.
const Work = "work"

// disabledCode is the code of the error event with which a recorder says that it was blind.
const disabledCode = "detector_disabled"

// Disabled reads the value of EnvDisable. A name that nothing knows is an error: it would switch nothing off.
func Disabled(env string) ([]string, error) {
	known := append(slices.Clone(finding.GPUChecks), Work, "probe", "torch")
	var out []string
	for name := range strings.SplitSeq(env, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		if class, ok := strings.CutPrefix(name, "probe."); !slices.Contains(known, name) && (!ok || !slices.Contains(trace.Classes, trace.Class(class))) {
			return nil, fmt.Errorf("%s: no detector %q (there are %s, and probe.CLASS)", EnvDisable, name, strings.Join(known, ", "))
		}
		out = append(out, name)
	}
	return out, nil
}

// Blind says which detectors were switched off in a run, "" when none was.
func (in *Input) Blind() string {
	off := slices.Clone(in.Disabled)
	for _, e := range in.Trace.Errors() {
		if e.Code == disabledCode && len(off) == 0 {
			return e.Text
		}
	}
	if len(off) == 0 {
		return ""
	}
	return EnvDisable + " switches " + strings.Join(off, ", ") + " off"
}
