"""Streams, events, random numbers, collectives, kernels, memory: what a step may not do while it is captured (H)."""
import ctypes
import os
import random
import threading
import time
from collections import deque

import numpy as np
import torch
import torch.distributed as dist
import triton
import triton.language as tl
from torch import nn


@triton.jit
def kern(x_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    off = pid * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x_ptr + off, mask=off < n)
    tl.store(x_ptr + off, v + 1, mask=off < n)


class Model(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.buf = torch.zeros(8, 64, device=device)
        self.lens = torch.zeros(8, dtype=torch.int32, device=device)
        self.count = 0
        self.hist = []
        self.cache = None
        self.kv = []
        self.pos = torch.zeros(1, dtype=torch.int64, device=device)
        self.pinned = torch.zeros(8, pin_memory=True)
        self.pageable = torch.zeros(8)
        self.q = deque()
        self.stream = torch.cuda.Stream()
        self.event = torch.cuda.Event()
        self.ptrs = None

    def forward(self, x, i: int):
        x = x + i
        x.mul_(self.count)
        self.count += 1
        x = x * random.random()  # H
        x = x + time.time()
        x = x + np.random.rand()  # H
        self.pos.fill_(i)
        self.buf[i] = x[0]
        y = self.buf[:i]
        y = torch.cat([y, x])
        self.buf = x.clone()  # H
        self.hist.append(x)  # H
        self.kv.append(x.clone())  # H
        if self.cache is None:
            self.cache = torch.zeros(3, device=x.device)
        s = torch.cuda.Stream()
        with torch.cuda.stream(s):  # H
            x = x * 2
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            z = x * 2
        torch.cuda.current_stream().wait_stream(self.stream)
        e = torch.cuda.Event(enable_timing=True)
        self.event.record()
        self.event.query()  # H
        self.event.synchronize()  # H
        torch.manual_seed(0)  # H
        dist.barrier()  # H
        dist.all_gather_object([None], 1)  # H
        dist.all_reduce(x)
        w = dist.all_reduce(x, async_op=True)
        w.wait()
        out = torch.empty(3, device=x.device)
        dist.all_to_all_single(out, x, self.lens.tolist(), None)  # H
        kern[(self.lens[0],)](x, 4, BLOCK=4)  # H
        kern[(4,)](x, self.lens[0].item(), BLOCK=4)  # H
        kern[(triton.cdiv(x.numel(), 4),)](x, x.numel(), BLOCK=4)
        kern[lambda meta: (int(self.lens.max()),)](x, 4, BLOCK=4)  # H
        p = x.data_ptr()
        self.ptrs = torch.tensor([x.data_ptr(), y.data_ptr()], device=x.device)  # H
        c = (ctypes.c_void_p * 2)(x.data_ptr(), y.data_ptr())
        self.pinned.copy_(x[0, :8], non_blocking=True)
        self.pageable.copy_(x[0, :8], non_blocking=True)  # H
        if self.pinned[0] > 0:
            x = x + 1
        x.copy_(self.pageable, non_blocking=True)  # H
        x.copy_(self.pinned, non_blocking=True)
        del self.cache
        torch.cuda.empty_cache()  # H
        g = torch.cuda.CUDAGraph()
        t = threading.Thread(target=lambda: None)
        os.environ["X"] = "1"
        torch.cuda.nvtx.range_push("a")
        torch.backends.cudnn.benchmark = True
        torch.set_default_dtype(torch.float16)
        m = torch.compile(self.sub)(x)  # H
        l = nn.Linear(3, 3).to(x.device)
        pl = torch.zeros(4).pin_memory()  # H
        r = torch.randn(3, generator=torch.Generator(device="cuda"), device="cuda")  # H
        h = x.register_hook(print)
        x.backward()
        n = torch.cuda.memory_allocated()
        mem = torch.cuda.mem_get_info()
        props = torch.cuda.get_device_properties(0)
        dev = torch.cuda.current_device()
        sp = x.to_sparse()  # H
        nt = torch.nested.nested_tensor([x, x])
        sv = torch.save(x, "f")
        nn.utils.clip_grad_norm_(self.parameters(), 1.0, error_if_nonfinite=True)
        al = torch.allclose(x, x)  # H
        un = torch.unique(x)  # H
        hs = torch.histc(x)  # H
        lu = torch.linalg.solve(x, x)  # H
        iv = torch.inverse(x)  # H
        return x

    def sub(self, x):
        return x


def build(device):
    return {"m": Model(device), "x": torch.zeros(8, 64, device=device)}


def step(state, i):
    return state["m"](state["x"], i)
