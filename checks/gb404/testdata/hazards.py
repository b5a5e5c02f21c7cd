"""Operators of Python on tensors."""
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
        a = max(self.idx[0], self.idx[1])  # want "truth-tests a device tensor"
        b = self.vec[0] and self.vec[1]  # want "truth-tests"
        c = not self.vec[0]  # want "truth-tests"
        d = 2 in self.idx  # want "reads the outcome"
        e = self.vec[0] in [1.0, 2.0]  # want "reads the outcome"
        f = sorted([self.vec[0], self.vec[1]])  # want "truth-tests"
        g = any(self.mask)  # want "truth-tests"
        return a, b, c, d, e, f, g
