"""Operators of Python on host values."""
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

    def forward(self, x: torch.Tensor, names: dict, n: int):
        a = max(x.shape[0], 16)
        b = min(n, self.limit)
        c = n and self.limit
        d = n not in self.ids
        # builtin sum adds on the device
        e = sum([self.vec, self.vec])
        # methods stay on the device
        f = x.any() | x.all()
        g = torch.maximum(self.idx[0], self.idx[1])
        # looks at keys
        h = "x" in names
        i = sorted(self.ids)
        j = all(k > 0 for k in self.ids)
        m = torch.logical_and(self.mask, self.mask)
        return a, b, c, d, e, f, g, h, i, j, m
