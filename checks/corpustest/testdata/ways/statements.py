"""Statements and calls that read a device value, a line each (H), and ones that look like it and do not."""
import functools
import math
import operator
from dataclasses import dataclass

import numpy as np
import torch
import torch.distributed as dist
from torch import nn


@dataclass
class Meta:
    lens: torch.Tensor
    lens_cpu: torch.Tensor
    step: int


def helper(t):
    return int(t)  # H


class Box:
    def __init__(self, t):
        self.t = t

    @property
    def value(self):
        return self.t.sum()


class Model(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.w = nn.Parameter(torch.randn(64, 64, device=device))
        self.register_buffer("lens", torch.zeros(8, dtype=torch.int32, device=device))
        self.flag = torch.zeros(1, dtype=torch.bool, device=device)
        self.box = Box(self.flag)
        self.table = list(range(16))
        self.fn = functools.partial(helper)
        self.counts_np = np.zeros(8)
        self.layers = nn.ModuleList([nn.Linear(64, 64, device=device) for _ in range(3)])

    def forward(self, x, meta: Meta, i: int):
        n = meta.lens.max()
        y = x[:n]  # H
        z = self.table[n]  # H
        y = x.view(n, -1)  # H
        q = torch.zeros(n, device=x.device)  # H
        if self.flag:  # H
            x = x + 1
        a = x if self.flag else y  # H
        if not self.flag:  # H
            x = x * 2
        if self.flag and i > 3:  # H
            x = x * 2
        if i > 3 and self.flag:  # H
            x = x * 2
        while self.flag:  # H
            break
        k = math.ceil(n)  # H
        k = min(n, 3)  # H
        k = operator.index(n)  # H
        for j in range(n):  # H
            x = x + j
        s = sorted(x[0])  # H
        if 3 in meta.lens:  # H
            x = x + 1
        s = np.asarray(x)  # H
        s = f"{n}"  # H
        print(n)  # H
        k = helper(n)
        k = self.fn(n)
        k = (lambda t: t.item())(n)  # H
        k = [int(v) for v in meta.lens]  # H
        k = [v.item() for v in meta.lens]  # H
        if self.box.value > 0:  # H
            x = x + 1
        parts = torch.split(x, meta.lens.tolist())  # H
        m = x > 0
        x2 = x[m]  # H
        x[m] = 0
        x[m] = x2  # H
        r = torch.repeat_interleave(x, meta.lens, dim=0)  # H
        t = torch.tensor([1, 2, 3], device=x.device)  # H
        t = torch.as_tensor(self.counts_np, device=x.device)  # H
        t = torch.from_numpy(self.counts_np).to(x.device)  # H
        t = torch.from_numpy(self.counts_np).cuda()  # H
        assert torch.all(x > 0)  # H
        if torch.equal(x, y):  # H
            pass
        u = torch.where(m)  # H
        u = m.nonzero()  # H
        dist.broadcast_object_list([1], 0)  # H
        match n.item():  # H
            case 0:
                pass
        v = max(meta.lens)  # H
        v = sum(meta.lens)
        v = any(meta.lens)  # H
        v = all(m.flatten())  # H
        v = bool(n == 0)  # H
        v = n.__bool__()  # H
        v = n.__int__()  # H
        lst = list(meta.lens)
        if lst[0] > 1:  # H
            pass
        d = {"a": n}
        if d["a"]:  # H
            pass
        with torch.cuda.stream(torch.cuda.Stream()):
            pass
        torch.cuda.synchronize()  # H
        torch.cuda.current_stream().synchronize()  # H
        torch.cuda.empty_cache()  # H
        c = x.to("cpu", non_blocking=True)
        c = x.to(meta.lens_cpu.device)  # H
        e = torch.empty(3, pin_memory=True)  # H
        g = torch.nonzero_static(m, size=4)
        tern = 1 if n > 0 else 2  # H
        try:
            assert n > 0  # H
        except AssertionError:
            pass
        if (n > 0) is True:
            pass
        if n == 3:  # H
            pass
        if n in (1, 2):  # H
            pass
        w = "%d" % n  # H
        w = "{}".format(n)  # H
        w = str(n)  # H
        w = round(n)
        w = abs(n)
        w = divmod(n, 3)
        w = pow(n, 2)
        w = x.shape[0] * n
        w = [1] * n  # H
        w = np.zeros(4) + n
        w = np.max(meta.lens)  # H
        ex = x.expand(n, 3)  # H
        ar = torch.arange(n, device=x.device)  # H
        ff = torch.full((4,), n, device=x.device)  # H
        x.fill_(n)
        x.masked_fill_(m, n)  # H
        x[0] = n
        x[n] = 0  # H
        x[0, n] = 3.0  # H
        x.index_fill_(0, meta.lens, n)  # H
        top = torch.topk(x, n)  # H
        topk = torch.topk(x, i)
        sc = x.select(0, n)  # H
        na = x.narrow(0, 0, n)  # H
        na2 = x.narrow(0, n, 3)  # H
        cl = torch.clamp(x, max=n)
        ro = torch.roll(x, n)  # H
        return x


class Legal(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.w = torch.randn(8, 8, device=device)
        self.host = torch.zeros(8, dtype=torch.int32)
        self.names = ["a", "b"]

    def forward(self, x, meta: Meta, i: int):
        if i % 4 == 0 and x.shape[0] > 3 and x.dtype == torch.float32 and x.is_cuda and x.numel() > 3 and len(x) > 2:
            x = x + 1
        if x.device.type == "cuda" or x.ndim == 2 or x.stride(0) == 8 or x.is_contiguous() or x.data_ptr() % 16 == 0:
            x = x + 1
        if self.host.max() > 3 or self.host[0].item() == 3 or self.host.tolist():
            x = x + 1
        if meta.lens_cpu.max().item() > 3:
            x = x + 1
        for row in x:
            x = x + row
        for a, b in zip(x, self.w):
            x = x + a * b
        for j, p in enumerate(x.split(4)):
            x = x + p.sum() * j
        if torch.cuda.is_current_stream_capturing() or not isinstance(x, torch.Tensor) or x is None:
            return x
        p, q = x.chunk(2, dim=-1)
        b = x.size(0)
        for j in range(b):
            x = x + j
        y = x[: b // 2]
        while b > 1:
            b //= 2
        n = int(meta.lens_cpu[0])
        z = x[:n]
        k = meta.step
        if k > 5 and self.names[k % 2] == "a":
            x = x + 1
        s = f"{x.shape} {x.dtype} {k}"
        m = x > 0
        x = torch.where(m, x, y)
        x.masked_fill_(m, 0.0)
        x.copy_(self.w, non_blocking=True)
        o = x.new_empty(x.shape)
        d = {"x": x}
        if "x" in d and d.get("y") is None:
            x = x + 1
        t = (x, y)
        if len(t) > 1 and t[0].shape == t[1].shape:
            x = x + 1
        if x.requires_grad or x.element_size() == 4 or x.get_device() == 0:
            x = x + 1
        v = max(x.shape)
        v = sum(t.numel() for t in t)
        if all(t.is_cuda for t in (x, y)):
            x = x + v
        return x


def build(device):
    return {"m": Model(device), "l": Legal(device), "x": torch.zeros(8, 64, device=device),
            "meta": Meta(torch.zeros(8, dtype=torch.int32, device=device), torch.zeros(8, dtype=torch.int32), 3)}


def step(state, i):
    y = state["m"](state["x"], state["meta"], i)
    return state["l"](y, state["meta"], i)
