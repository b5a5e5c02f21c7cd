"""What recording costs: host time of a launch of a tiny kernel, and of a step of 61 layers with about 2,500 launches.

One line per process: bare (no probe), or disarmed, brief and recording in turn in one process, or torch's profiler. The medians
are of interleaved rounds, and the runs of one call alternate (record.sh), since the machine itself drifts.
"""

import ctypes
import os
import statistics
import sys
import time

import torch

path = os.environ.get("CUDA_INJECTION64_PATH")
x = torch.zeros(64, device="cuda")
w = [torch.randn(256, 256, device="cuda") / 16 for _ in range(61)]
h = torch.randn(8, 256, device="cuda")


def tiny():
    for _ in range(2000):
        x.add_(1)
    return 2000


def step():
    y = h
    for m in w:
        for _ in range(4):
            r = y
            y = y @ m
            y = torch.nn.functional.silu(y)
            y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6)
            y = y + r
            y = y.clamp(-4, 4)
    return 61 * 4 * 10


def timed(f):
    torch.cuda.synchronize()
    t = time.perf_counter()
    n = f()
    torch.cuda.synchronize()
    return (time.perf_counter() - t) / n * 1e6


for f in (tiny, step):
    for _ in range(3):
        timed(f)
    if len(sys.argv) > 1:
        with torch.profiler.profile() as p:
            got = [timed(f) for _ in range(5)]
        print(f.__name__, "profiler %.3f" % statistics.median(got))
    elif path:
        probe = ctypes.CDLL(path)
        # brief records no launch: what it costs is what CUPTI costs, and the way into the probe.
        modes = ["disarmed", "brief", "recording"] if hasattr(probe, "gatebot_brief") else ["disarmed", "recording"]
        got = {m: [] for m in modes}
        for _ in range(25):
            for m in modes:
                if hasattr(probe, "gatebot_brief"):
                    probe.gatebot_brief(int(m == "brief"))
                probe.gatebot_disarm() if m == "disarmed" else probe.gatebot_arm()
                got[m].append(timed(f))
        mid = {m: statistics.median(v) for m, v in got.items()}
        print(f.__name__, " ".join("%s %.3f (%.3f)" % (m, v, v / mid["disarmed"]) for m, v in mid.items()))
    else:
        print(f.__name__, "bare %.3f" % statistics.median(timed(f) for _ in range(50)))
