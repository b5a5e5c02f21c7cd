// Package gb707 is rule GB707, rng-not-graph-safe: draws from a generator that the graph does not know.
package gb707

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/pyast"
)

// Rule is GB707.
var Rule = &checks.Rule{
	ID: "GB707", Name: "rng-not-graph-safe", Group: checks.GroupReplay, Severity: finding.Error, Tier: 1, Static: true,
	Title: "draws from a generator that the graph does not know, or touches generator state in the step",
	Text: "Random kernels get a seed and an offset. In a graph these must move on with every replay, or each replay draws the same " +
		"numbers. torch does that for the default generator, and for others only after they were registered with the graph. " +
		"Drawing from an unregistered generator raises during a capture, and so does reading or setting the state of a " +
		"generator, since that state is not a number on the host while a graph is recorded.",
	Before: "gen = torch.Generator(device=\"cuda\")\nnoise = torch.rand(8, device=\"cuda\", generator=gen)",
	After:  "g.register_generator_state(gen)  # before the capture\nnoise = torch.rand(8, device=\"cuda\", generator=gen)",
	Fix:    "use the default generator, or register yours with the graph (g.register_generator_state(gen)) before the capture",
	Fine: []string{
		"the default generator: `torch.rand(…, device=dev)`, `x.exponential_()`",
		"a generator that the file registers with `register_generator_state`",
		"seeding a generator that is made on the spot; a draw from it is what counts",
		"generators on the CPU that draw CPU tensors",
		"seeding at load time; `graphsafe_get_state` and `graphsafe_set_state`",
	},
	Torch: "measured on an H200, torch 2.11: any draw from an unregistered generator raises in a capture",
	Calls: calls(),
	Call: func(p *checks.Pass, c *checks.Call) {
		if state[c.Name] {
			if c.Recv == nil || c.Recv.Kind == checks.KindGenerator && c.Recv.Place == checks.PlaceDevice && !fresh(c.Node) {
				p.Report(c.Node, nil, "{expr} touches the state of a generator, which a capture refuses")
			}
			return
		}
		g, given := c.Arg(-1, "generator")
		if !given || g.Value == nil || g.Value.Kind != checks.KindGenerator || c.Result.OnCPU() || c.Recv.OnCPU() {
			return
		}
		if strings.Contains(p.Lines(), "register_generator_state") {
			return
		}
		var opts []checks.ReportOption
		if _, kept := g.Node.(*pyast.Attr); !kept || g.Value.Optional {
			// A generator of the caller: of a request that asked for a seed, or of a pipeline that draws its start.
			opts = append(opts, checks.WithConfidence(finding.Possible))
		}
		p.Report(c.Node, c.Result, "{expr} draws from a generator that was not registered with a graph: a capture refuses it", opts...)
	},
}

// state are the functions that read or set the state of generators of the device.
var state = map[string]bool{"torch.cuda.get_rng_state": true, "torch.cuda.set_rng_state": true, "torch.cuda.get_rng_state_all": true,
	"torch.cuda.set_rng_state_all": true, "torch.cuda.manual_seed": true, "torch.cuda.manual_seed_all": true,
	"torch.cuda.seed": true, "torch.cuda.seed_all": true, "torch.manual_seed": true, "torch.random.manual_seed": true,
	"torch.Generator.manual_seed": true, "torch.Generator.set_state": true, "torch.Generator.get_state": true,
	"torch.Generator.seed": true, "torch.random.fork_rng": true}

// calls are those, and every operation that may be given a generator.
func calls() []string {
	out := []string{}
	for op := range torchop.All() {
		name := op.Name[strings.LastIndexByte(op.Name, '.')+1:]
		switch strings.TrimSuffix(strings.TrimSuffix(name, "_like"), "_") {
		case "rand", "randn", "randint", "randperm", "normal", "bernoulli", "multinomial", "uniform", "exponential", "random", "cauchy",
			"geometric", "log_normal", "poisson", "binomial":
			if strings.HasPrefix(op.Name, "torch.") && strings.Count(op.Name, ".") == 1 || strings.HasPrefix(op.Name, "Tensor.") {
				out = append(out, op.Name)
			}
		}
	}
	for name := range state {
		out = append(out, name)
	}
	return out
}

// fresh reports whether the generator is no attribute that is kept: one of this function, where seeding is part of making.
func fresh(call *pyast.Call) bool {
	f, ok := call.Func.(*pyast.Attr)
	if !ok {
		return false
	}
	_, attr := f.X.(*pyast.Attr)
	return !attr
}
