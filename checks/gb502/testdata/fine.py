"""Fills, and writes that stay on one side."""
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

    def forward(self, x: torch.Tensor, n: int, rows: list):
        # slices and rows are fills
        self.vec[0:4] = n
        self.vec[:] = 0.0
        self.mat[0] = 5.0
        self.mat[0, :] = 5.0
        self.mat[..., 0] = 1.0
        # a device value
        self.vec[0] = self.vec[1]
        self.vec[0] = x.sum()
        # arithmetic in place on a view
        self.vec[0] += n
        # a mask is a fill
        self.vec[self.mask] = n
        # the host's own
        self.host[0, 0] = n
        rows[0] = n
        table = {}
        table[0] = n
        arr = np.zeros(4)
        arr[0] = n
        return table, arr
