"""Hazards of every kind that the probe tells apart, each on a line of its own, inside one region.

A line that must be found carries "# want RULE"; a line without it must not be found. Run on an H200 (torch 2.11) to
record hazards.ndjson.gz; CI computes the findings from the record.
"""

import ctypes
import os

import torch

probe = ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"])
dev = torch.device("cuda")


def build():
    s = type("State", (), {})()
    s.x = torch.randn(64, 64, device=dev)
    s.buf = torch.zeros(64, 64, device=dev)
    s.page = torch.zeros(64, 64)
    s.pin = torch.zeros(64, 64).pin_memory()
    s.idx = torch.tensor([1, 2, 3], device=dev)
    s.stream = torch.cuda.Stream()
    s.event = torch.cuda.Event()
    s.out = torch.zeros(64, 64).pin_memory()
    return s


def step(s, n):
    y = s.x @ s.x  # fine: a launch
    y.sum().item()  # want GB101
    y.cpu()  # want GB103
    torch.cuda.synchronize()  # want GB106
    s.stream.synchronize()  # want GB107
    s.event.record()  # fine
    s.event.synchronize()  # want GB108
    s.event.query()  # want GB605
    s.buf.copy_(s.page)  # want GB505
    s.buf.copy_(s.page, non_blocking=True)  # want GB506
    s.page.copy_(s.buf, non_blocking=True)  # want GB113
    s.buf.copy_(s.pin, non_blocking=True)  # fine: pinned and asynchronous
    s.out.copy_(s.buf, non_blocking=True)  # fine: pinned and asynchronous
    big = torch.empty(n << 20, dtype=torch.uint8, device=dev)  # want GB301
    pinned = torch.empty(n << 20, dtype=torch.uint8, pin_memory=True)  # want GB303
    y[y > 0]  # want GB101
    s.x.index_select(0, s.idx)  # fine
    del big, pinned
    torch.cuda.empty_cache()  # want GB304
    return y.relu_()


state = build()
for i in range(3):
    step(state, 100 + 40 * i)
torch.cuda.synchronize()
probe.gatebot_region_enter(b"step")
step(state, 400)
probe.gatebot_region_exit(b"step")
