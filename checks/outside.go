package checks

import (
	"strings"
)

// otherResult is what a function returns that the table does not know. Libraries of the host return host values;
// kernels and custom operators of torch.ops return device tensors; of the rest nothing is known.
func (fr *frame) otherResult(c *Call) *Value {
	first, _, _ := strings.Cut(c.Name, ".")
	switch {
	case c.Recv != nil && c.Recv.Kind == KindTensor && strings.HasPrefix(c.Name, "Tensor."):
		// A method that the table does not list: most return a tensor in the same place.
		return c.Recv.with(func(t *Value) { t.Rank, t.DType, t.NonDense = -1, DTypeUnknown, false })
	case strings.HasPrefix(c.Name, "torch.ops."):
		for _, a := range c.Args {
			if a.Value.OnDevice() {
				return tensor(PlaceDevice, Likely).with(func(t *Value) { t.Flow = a.Value.Flow })
			}
		}
		return unknown
	case first == "torch" && fr.anyDevice(c) != nil:
		d := fr.anyDevice(c)
		return tensor(d.Place, Possible).with(func(t *Value) { t.Flow = d.Flow })
	case hostLibraries[first]:
		return hostUnknown
	case c.Recv != nil && c.Recv.Place == PlaceHost && c.Recv.Kind == KindUnknown:
		return hostUnknown
	}
	return unknown
}

func (fr *frame) anyDevice(c *Call) *Value {
	for _, a := range c.Args {
		if a.Value.OnDevice() {
			return a.Value
		}
	}
	return nil
}

// hostLibraries are packages whose functions know nothing of devices.
var hostLibraries = set("math os sys time json re random logging itertools collections functools operator string datetime " +
	"pathlib hashlib struct threading queue socket subprocess typing dataclasses enum abc copy types inspect warnings " +
	"contextlib heapq bisect decimal fractions statistics uuid tempfile shutil glob argparse pickle base64 zlib gc ctypes " +
	"traceback numpy pandas scipy sklearn PIL regex msgspec zmq asyncio concurrent multiprocessing importlib platform psutil")
