"""The phases of the harness that need a card, on a CPU: python pretend_cuda.py HARNESS CONFIG.json. torch.cuda is replaced by as much
as the harness calls. What a graph replays is nothing, so that outputs go stale; which calls are made where is what shows."""
import contextlib
import sys
import types

import torch
from torch.cuda import _gpu_trace as gpu_trace

cuda = torch.cuda


class Stream:
    def __init__(self, device=0):
        self.device = device

    def wait_stream(self, other):
        pass


class Graph:
    """A release that keeps no raw graph."""

    def __init__(self):
        pass

    def replay(self):
        pass


class Capture:
    def __init__(self, graph, stream=None, capture_error_mode="global"):
        pass

    def __enter__(self):
        cuda.synchronize()  # as torch does, and empties its caches

    def __exit__(self, *_):
        return False


def synchronize(device=None):
    gpu_trace.DeviceSynchronizationCallbacks.fire_callbacks()


mode = ["default"]
streams = {0: Stream()}
for name, value in {
    "init": lambda: None, "device_count": lambda: 1, "current_device": lambda: 0, "set_device": lambda d: None, "synchronize": synchronize,
    "Stream": Stream, "current_stream": lambda d=0: streams[0], "set_stream": lambda s: streams.update({0: s}), "CUDAGraph": Graph, "graph": Capture,
    "get_device_properties": lambda d: types.SimpleNamespace(name="Pretend", major=10, minor=0, total_memory=1 << 30),
    "memory_stats": lambda d=0: {}, "mem_get_info": lambda d=0: (1 << 30, 1 << 30), "set_sync_debug_mode": lambda m: mode.__setitem__(0, m),
    "device": lambda d: contextlib.nullcontext(), "is_current_stream_capturing": lambda: False, "empty_cache": lambda: None,
}.items():
    setattr(cuda, name, value)
cuda.memory._record_memory_history = lambda *a, **k: None
cuda.memory._snapshot = lambda: {"device_traces": []}
cuda.memory.empty_cache = cuda.empty_cache
torch._C._cuda_hasPrimaryContext = lambda d: True
torch._C._activate_gpu_trace = lambda: None
fork = torch.random.fork_rng
torch.random.fork_rng = lambda devices=(): fork(devices=[])

sys.path.insert(0, sys.argv[1])
from gatebot_harness import eager, main, watch  # noqa: E402

eager.BUDGET = {"sync": 0.0, "drift": 0.0}  # seconds: as few steps as there are looked at
arm = watch.Watch.arm
watch.Watch.arm = lambda self, on: (arm(self, on), None if mode[0] == ("warn" if on else "default") else sys.exit("the mode is not as armed"))[1]
main.start(sys.argv[2])
