"""Indices without dimensions."""
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

    def forward(self, x: torch.Tensor, items: list):
        a = self.table[self.pos]  # want "without dimensions"
        b = self.table[self.idx[0]]  # want "without dimensions"
        c = x.select(0, self.pos)  # want "the index of `select`"
        d = self.ids[self.pos]  # want "without dimensions"
        e = self.table[self.idx.max(), 0]  # want "without dimensions"
        self.vec[self.pos] = self.vec[0]  # want "without dimensions"
        return a, b, c, d, e
