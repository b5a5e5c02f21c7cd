// Package gb604 is rule GB604, wait-on-uncaptured-event: a captured stream waits for work outside the capture.
package gb604

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/region"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB604.
var Rule = &checks.Rule{
	ID: "GB604", Name: "wait-on-uncaptured-event", Group: checks.GroupStream, Severity: finding.Error, Tier: 2, Static: true,
	Title: "waits during a capture for work that is not part of it",
	Text: "A graph is a closed list of work: each entry may depend on other entries only. When a captured stream is told to " +
		"wait for an event that was recorded before the capture, or for a stream that is not being captured, there is nothing " +
		"in the list that the wait could point to, and the driver ends the capture (error 905, isolation). Whatever has to be " +
		"finished before the graph runs is waited for before the capture, and again before each replay.",
	Before: "ready.record()\nwith torch.cuda.graph(g):\n    ready.wait()\n    y = model(x)",
	After:  "ready.record()\nready.wait()  # before the capture, and before each replay\nwith torch.cuda.graph(g):\n    y = model(x)",
	Fix:    "wait before the capture, record the event inside it, or make it with torch.cuda.Event(external=True)",
	Fine: []string{
		"an event that is recorded inside the capture",
		"a stream that waited for the captured one inside the capture",
		"`torch.cuda.Event(external=True)`",
	},
	Torch:    "measured on an H200: the wait fails with error 905 in every capture mode; external events are newer than torch 2.7",
	Mentions: []string{"graph", "capture_begin"},
	Setup:    true,
	Done: func(p *checks.Pass) {
		for _, c := range region.Captures(p) {
			if c.Ended {
				body(p, &c)
			}
		}
	},
}

func body(p *checks.Pass, c *region.Capture) {
	inside := map[string]bool{} // events recorded and streams forked so far
	for _, call := range region.CallsIn(c.Body) {
		recv, name := region.Method(call)
		if recv == nil {
			continue
		}
		switch name {
		case "record":
			inside[p.Text(recv)] = true
		case "record_event":
			if e := region.Arg(call, 0, "event"); e != nil {
				inside[p.Text(e)] = true
			}
		case "wait":
			event(p, c, call, recv, inside)
		case "wait_event":
			event(p, c, call, region.Arg(call, 0, "event"), inside)
			inside[p.Text(recv)] = true
		case "wait_stream":
			stream(p, call, recv, inside)
		}
	}
}

// event looks at a wait for an event: it must not have been recorded before the capture only.
func event(p *checks.Pass, c *region.Capture, at *pyast.Call, e pyast.Expr, inside map[string]bool) {
	v := p.Value(e)
	if e == nil || v == nil || v.Kind != checks.KindEvent || inside[p.Text(e)] || external(p, e) {
		return
	}
	for _, call := range region.Calls(p.Node()) {
		if recv, name := region.Method(call); c.Before(call) && name == "record" && recv != nil && p.Text(recv) == p.Text(e) {
			p.Report(at, nil, "{expr} waits for an event that was recorded before the capture")
			return
		}
	}
}

// external reports whether the event is made for this in the function.
func external(p *checks.Pass, e pyast.Expr) bool {
	found := false
	region.Walk(p.Node(), func(n pyast.Node) {
		a, ok := n.(*pyast.Assign)
		if !ok || len(a.Targets) != 1 || p.Text(a.Targets[0]) != p.Text(e) {
			return
		}
		if call, ok := a.Value.(*pyast.Call); ok && region.True(region.Arg(call, -1, "external")) {
			found = true
		}
	})
	return found
}

// stream looks at a.wait_stream(b): b must have joined the capture, unless a is the one that does so here.
func stream(p *checks.Pass, call *pyast.Call, recv pyast.Expr, inside map[string]bool) {
	other := region.Arg(call, 0, "stream")
	if other == nil {
		return
	}
	if captured(p, other) || inside[p.Text(other)] {
		inside[p.Text(recv)] = true // forked from a captured stream
		return
	}
	if v := p.Value(other); v != nil && v.Kind == checks.KindStream && captured(p, recv) {
		p.Report(call, v, "{expr} waits for a stream that is not being captured")
	}
}

// captured reports whether e is the current stream, which is the captured one.
func captured(p *checks.Pass, e pyast.Expr) bool {
	v := p.Value(e)
	return v == nil || v.Kind != checks.KindStream || v.Name == "torch.cuda.current_stream"
}
