// Package gb808 is rule GB808, launch-shape-from-host-length: sizes of launches and buffers that follow a length.
package gb808

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/cppast"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB808.
var Rule = &checks.Rule{
	ID: "GB808", Name: "launch-shape-from-host-length", Group: checks.GroupNative, Severity: finding.Warn, Tier: 1, Static: true,
	Title: "computes a launch or a buffer from a length that changes per step",
	Text: "A graph keeps the grid and the arguments of each launch, and the size of each buffer, as they were when it was " +
		"recorded. A size that follows the length of the sequences, or a number that was read from the device, is right " +
		"for that one step; later replays leave out what has come since, or write past the end, without an error.",
	Before: "int rows = active.sum().item<int>();\nauto out = at::empty({rows, width}, x.options());\nscale<<<rows, 128, 0, stream>>>(…);",
	After:  "// the capacity of the bucket; blocks beyond the length, which they read on the device, return at once\nscale<<<max_rows, 128, 0, stream>>>(…, lengths.data_ptr<int>());",
	Fix:    "size it for the bucket's capacity and let the kernel read the length on the device",
	Fine: []string{
		"sizes from shapes, dtypes and the batch: one graph is recorded for each of them",
		"a maximum that is a constant of the deployment, as max_position_embeddings",
	},
	Torch: "measured on an H200: an argument that is passed by value is frozen in the graph",
	Native: &checks.Native{
		Words: []string{".item"},
		Calls: []string{"at::empty", "at::zeros", "at::ones", "at::full", "at::arange", "torch::empty", "torch::zeros", "torch::ones",
			"torch::full", "torch::arange", "stable::empty", "stable::new_empty", ".new_empty", ".new_zeros", ".resize_"},
		Call:   call,
		Launch: launch,
	},
}

// call is a factory whose sizes follow a number that was read from the device.
func call(p *checks.NativePass, c *checks.NativeCall) {
	for i, v := range c.Vals {
		if v.Read != nil && !v.IsTensor() {
			p.Report(c.Node, "the size of the buffer follows "+source(p, c.Args[i], v)+", which is frozen in a graph")
			return
		}
	}
}

func launch(p *checks.NativePass, l *checks.NativeLaunch) {
	for i, v := range l.ConfV {
		if i < 3 && v.Read != nil {
			p.Report(l.Node, "the launch follows "+source(p, l.Config[i], v)+", which is frozen in a graph")
			return
		}
	}
	for i, v := range l.Vals {
		if v.Read != nil && v.Kind == checks.NativeNumber {
			p.Report(l.Node, "an argument of the launch follows "+source(p, l.Args[i], v)+", which is frozen in a graph")
			return
		}
	}
	if len(l.ConfV) > 0 && l.ConfV[0].Length != "" {
		p.Report(l.Node, "the grid follows `"+l.ConfV[0].Length+"`, which is frozen in a graph unless it is the key of the graph",
			checks.WithConfidence(finding.Possible))
	}
}

func source(p *checks.NativePass, e cppast.Expr, v *checks.NativeValue) string {
	text := strings.Join(strings.Fields(p.Text(e)), " ")
	read := strings.Join(strings.Fields(p.Text(v.Read)), " ")
	if text == read {
		return "the value of `" + read + "`"
	}
	return "`" + text + "`, computed from the value of `" + read + "`"
}
