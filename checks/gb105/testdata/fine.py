"""Casts of host values."""
import math
import os
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

    def forward(self, x: torch.Tensor, scale: float = 1.0):
        # shapes and sizes
        a = int(x.shape[0]) + int(x.numel()) + int(x.size(0))
        # configuration and environment
        b = float(scale) + int(os.environ.get("N", "1")) + float(self.limit)
        # CPU tensors and NumPy
        c = int(self.host.sum()) + int(np.int64(3))
        # casts of the dtype stay on the device
        d = x.int().float().long().bool()
        e = math.sqrt(x.shape[-1])
        # a number that was read elsewhere (that line is GB101's)
        f = int(self.pos.item())
        return a, b, c, d, e, f
