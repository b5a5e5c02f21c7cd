"""Masks that are not counted."""
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

    def forward(self, x: torch.Tensor):
        # a number through a mask is a fill
        x[self.mask] = 3.0
        x[x > 0] = 0.0
        x.masked_fill_(self.mask, float("-inf"))
        # an index tensor gathers a fixed number of rows
        a = self.table[self.idx]
        # element by element
        b = torch.where(self.mask, x, 0.0)
        # masks of the host over the host
        c = self.host[self.host > 0]
        arr = np.arange(4)
        d = arr[arr > 2]
        # host bools in a list comprehension
        e = [k for k in range(4) if k > 2]
        return a, b, c, d, e
