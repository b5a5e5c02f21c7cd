"""Branches on device values."""
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
        if x.max() > 1.0:  # want "the branch on `x.max\(\) > 1.0`"
            x = x / 2
        if (x > 0).any():  # want "the branch on"
            x = x + 1
        y = x if self.vec[0] > 0 else -x  # want "the branch on"
        if self.idx[0] != 0:  # want "the branch on"
            y = y - 1
        rows = [r for r in range(4) if self.mask[r]]  # want "the branch on"
        if not self.mask.all():  # want "the branch on"
            y = y * 2
        if x.shape[0] > 1 and self.mask.any():  # want "the branch on"
            y = y * 3
        elif self.mask.all():  # want "the branch on"
            y = y * 4
        return y, rows
