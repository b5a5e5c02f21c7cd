"""Selections by a mask."""
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
        a = x[self.mask]  # want "selecting with a mask"
        b = x[x > 0]  # want "selecting with a mask"
        c = torch.masked_select(x, self.mask)  # want "counts the selected elements"
        d = x[~self.mask].sum()  # want "selecting with a mask"
        pos = x > 0
        x[pos] /= self.mat[pos]  # want "selecting" "selecting"
        x[pos] *= 2.0  # want "selecting"
        e = self.table[self.mask, 0]  # want "selecting with a mask"
        return a, b, c, d, e
