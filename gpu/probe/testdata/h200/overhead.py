"""Host time of one launch of a tiny kernel, in µs: median over 25 rounds of 2,000. Modes: bare, disarmed, recording."""

import ctypes
import os
import statistics
import time

import torch

path = os.environ.get("CUDA_INJECTION64_PATH")
x = torch.zeros(64, device="cuda")


def round_():
    torch.cuda.synchronize()
    t = time.perf_counter()
    for _ in range(2000):
        x.add_(1)
    torch.cuda.synchronize()
    return (time.perf_counter() - t) / 2000 * 1e6


def median(n=25):
    return statistics.median(round_() for _ in range(n))


round_()
if path:
    probe = ctypes.CDLL(path)
    off, on = [], []
    for _ in range(25):
        probe.gatebot_disarm()
        off.append(round_())
        probe.gatebot_arm()
        on.append(round_())
    print("disarmed %.3f recording %.3f" % (statistics.median(off), statistics.median(on)))
else:
    print("bare %.3f" % median(50))
