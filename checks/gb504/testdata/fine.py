"""Indices that need no copy."""
import numpy as np
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

    def forward(self, x: torch.Tensor, i: int, rows: list):
        a = x[0] + x[i] + x[1:3] + x[self.limit - 1]
        b = self.table[self.idx]
        c = x[self.mask]
        d = x[..., None, :]
        # two host numbers, not an index of two
        e = x[0, 1]
        # a CPU tensor without dimensions is read
        f = x[self.host.long()[0, 0]]
        # a mask of the host: counted there, copied without a wait
        q = x[self.host > 0]
        # the host's own
        g = self.host[[0, 1]]
        h = np.arange(4)[[0, 1]]
        k = rows[i]
        # a tuple of slices
        m = x[tuple(slice(0, n) for n in x.shape)]
        # numbers out of an array
        for dst, src in zip(np.arange(4).tolist(), np.arange(4).tolist()):
            x[dst].copy_(x[src])
        p = x[np.arange(4).max()]
        return a, b, c, d, e, f, g, h, k, m, p, q
