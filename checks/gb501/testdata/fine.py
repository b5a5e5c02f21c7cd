"""Host data that stays, and fills."""
import numpy as np
import functools

import torch


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(8, 8))
        self.register_buffer("table", torch.zeros(64, 8))
        self.vec = torch.zeros(8, device="cuda")
        self.mat = torch.zeros(8, 8, device="cuda")
        self.idx = torch.zeros(4, dtype=torch.int64, device="cuda")
        self.pos = torch.zeros((), dtype=torch.int64, device="cuda")
        self.mask = torch.ones(8, dtype=torch.bool, device="cuda")
        self.host = torch.zeros(8, 8)
        self.pinned = torch.zeros(8, 8, pin_memory=True)
        self.limit = 16
        self.ids = [1, 5, 7]

    def forward(self, x: torch.Tensor, n: int):
        # on the CPU
        a = torch.tensor([1, 2, 3])
        b = torch.as_tensor(np.arange(4))
        # a fill on the device: an allocation, GB301
        c = torch.full((4,), 3, device="cuda")
        # on the device already
        d = torch.as_tensor(x, device="cuda")
        # in place
        e = self.vec.fill_(n)
        # reading, not building
        f = torch.tensor_split(x, 2)
        # nothing to copy
        g = torch.tensor([], device="cuda")
        return a, b, c, d, e, f, g


class Loader:
    def __init__(self):
        self.ids = torch.tensor([1, 2, 3], device="cuda")


TABLES = {}


class Cached(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.pointers = None
        self.by_size = {}

    def forward(self, x: torch.Tensor, n: int):
        return x * self.walrus(x, n) + self.attribute(x) + self.entry(x, n) + pinned_once(n, x.device) + offsets(x)

    def walrus(self, x: torch.Tensor, n: int):
        if (t := TABLES.get(n)) is not None:
            return t
        t = torch.tensor([n, n + 1], device=x.device)  # possible "copies host data"
        TABLES[n] = t
        return t

    def attribute(self, x: torch.Tensor):
        held = self.pointers
        if held is not None and held[0] == 1:
            return held[1]
        self.pointers = (1, torch.tensor([1, 2], device=x.device))  # possible "copies host data"
        return self.pointers[1]

    def entry(self, x: torch.Tensor, n: int):
        t = self.by_size.get(n)
        if t is None:
            t = torch.tensor([n], device=x.device)  # possible "copies host data"
            self.by_size[n] = t
        return t


@tensor_cache
def offsets(x: torch.Tensor):
    return x.new_tensor([0])  # possible "copies host data"


@functools.lru_cache(maxsize=8)
def pinned_once(n: int, device):
    return torch.tensor([n, n], device=device)  # possible "copies host data"
