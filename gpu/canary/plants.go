package canary

import (
	"github.com/gatebot/gatebot/gpu/device"
	"github.com/gatebot/gatebot/gpu/trial"
)

// plant is one step and the detectors that must see it, as an H200 with torch 2.11 showed. A plant that nobody must see
// is a clean step, in which nobody may see anything.
type plant struct {
	trial.Case
	see []string
}

// In every step the input x is filled with a host int, and out must be made of it.
const (
	setup   = "x, out = torch.zeros(4096, device=dev), torch.zeros(4096, device=dev)\n"
	prepare = "x.fill_(i + 1.0); out.zero_()"
	work    = "torch.mul(x, 2.0, out=out)"
)

var plants = []plant{
	step("clean step", "", work),
	step("value read by the host", "", "x[0].item(); "+work, device.DetectProbe, device.DetectTorch, device.DetectCapture),
	step("tensor copied to the host", "", "x.cpu(); "+work, device.DetectProbe, device.DetectTorch, device.DetectCapture),
	// torch's mode does not see the next four
	step("wait for the device", "", "torch.cuda.synchronize(); "+work, device.DetectProbe, device.DetectCapture),
	step("wait for an event", "event = torch.cuda.Event(); event.record()\n", "event.synchronize(); "+work, device.DetectProbe,
		device.DetectCapture),
	step("stream asked for its state", "", "torch.cuda.current_stream().query(); "+work, device.DetectProbe, device.DetectCapture),
	step("pageable copy that claims to be asynchronous", "host = torch.ones(4096)\n", "out.copy_(host, non_blocking=True)",
		device.DetectProbe, device.DetectCapture),
	step("memory asked of the driver", "", "torch.cuda.caching_allocator_delete(torch.cuda.caching_allocator_alloc(20_000_000 * (1 + i))); "+work,
		device.DetectProbe),
	step("memory page-locked in the step", "held = []\n", "held.append(torch.empty(1 << (16 + i), pin_memory=True)); "+work, device.DetectProbe),
	step("host value frozen into the graph", "", "torch.mul(x, float(i + 1), out=out)", device.DetectReplay),
	rebound(),
	step("work on a stream that is not captured", "other = torch.cuda.default_stream()\n",
		"with torch.cuda.stream(other): "+work, device.DetectWork, device.DetectReplay),
	step("clean step after the violations", "", work),
}

func step(name, more, call string, see ...string) plant {
	return plant{trial.Case{Name: name, Setup: setup + more, Prepare: prepare, Call: call, Out: "out"}, see}
}

// rebound is an input that every step makes anew: the graph goes on reading the old one.
func rebound() plant {
	p := step("input at another address in every step", "held = []\n", work, device.DetectReplay)
	p.Prepare = "x = torch.full((4096,), i + 1.0, device=dev); held.append(x); out.zero_()"
	return p
}

// cases are the steps as gpu/trial takes them.
func cases() []trial.Case {
	var out []trial.Case
	for _, p := range plants {
		out = append(out, p.Case)
	}
	return out
}
