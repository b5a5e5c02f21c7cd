"""Casts that read."""
import math
import operator
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

    def forward(self, x: torch.Tensor):
        a = int(x.max())  # want "`int\(x.max\(\)\)` reads a device value"
        b = float(self.vec[0])  # want "reads a device value"
        c = bool(self.mask.any())  # want "reads a device value"
        d = math.sqrt(x.sum())  # want "reads a device value"
        e = operator.index(self.pos)  # want "reads a device value"
        f = self.pos.is_nonzero()  # want "reads a device value"
        return a, b, c, d, e, f
