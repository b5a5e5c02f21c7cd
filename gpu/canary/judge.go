package canary

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/checks/calls"
	"github.com/gatebot/gatebot/gpu/device"
	"github.com/gatebot/gatebot/gpu/trial"
	"github.com/gatebot/gatebot/internal/finding"
)

// judge says for one step what each detector made of it, and whether that is as it must be.
func judge(p plant, r trial.Result, disabled []string) device.Step {
	s := device.Step{Name: "python: " + p.Name, Status: finding.StatusPass}
	if why := unmeasured(r); why != "" {
		s.Status, s.Reason = finding.StatusError, why
		return s
	}
	for _, name := range device.Detectors {
		d := detect(name, r)
		d.Want = slices.Contains(p.see, name)
		if d.Off = slices.Contains(disabled, name) || name == device.DetectProbe && r.Blind != "" && !d.Caught; d.Off {
			d.Caught = false
		}
		s.Detections = append(s.Detections, d)
	}
	var blind, alarms []string
	for _, d := range s.Detections {
		switch {
		case d.Off && d.Want:
			blind = append(blind, fmt.Sprintf("%s (switched off by %s)", d.Detector, device.EnvDisable))
		case d.Unknown != "":
			// an older torch keeps no raw graph: said in the report, and no proof of anything
		case d.Want && !d.Caught:
			blind = append(blind, d.Detector)
		case d.Caught && len(p.see) == 0:
			alarms = append(alarms, d.Detector)
		}
	}
	switch {
	case len(blind) > 0:
		s.Status, s.Reason = finding.StatusFail, "the gate cannot see it: not caught by "+strings.Join(blind, ", ")
	case len(alarms) > 0:
		s.Status, s.Reason = finding.StatusFail, "a clean step is reported by "+strings.Join(alarms, ", ")+said(r)
	}
	return s
}

// unmeasured says why there is nothing to judge.
func unmeasured(r trial.Result) string {
	switch {
	case r.Died != "":
		return "its process did not end well: " + r.Died
	case r.Eager != "":
		return "it raised in eager mode: " + r.Eager
	case r.Unseen != "":
		return r.Unseen
	case r.ReplayError != "":
		return "the replay raised: " + r.ReplayError
	case r.Capture == "" && len(r.Replay) == 0:
		return "it was captured and not replayed"
	}
	return ""
}

func detect(name string, r trial.Result) device.Detection {
	d := device.Detection{Detector: name}
	switch name {
	case device.DetectCapture:
		d.Caught = r.Capture != ""
	case device.DetectWork:
		switch {
		case r.Capture != "": // there is no graph to count in
		case r.Nodes == nil:
			d.Unknown = "this torch does not show the nodes of a graph"
		default:
			d.Caught = len(r.Nodes) < r.Launches
		}
	case device.DetectReplay:
		d.Caught = slices.Contains(r.Replay, false)
	case device.DetectProbe:
		for _, c := range r.Calls {
			_, _, _, hazard := calls.Hazard(c, nil)
			d.Caught = d.Caught || hazard
		}
	case device.DetectTorch:
		d.Caught = r.Warned > 0
	}
	return d
}

// said is what a detector that raised a false alarm said.
func said(r trial.Result) string {
	if r.Capture != "" {
		return ": " + r.Capture
	}
	for _, c := range r.Calls {
		if _, _, what, ok := calls.Hazard(c, nil); ok {
			return ": " + c.Name + ", " + what
		}
	}
	return ""
}
