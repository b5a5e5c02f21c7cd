"""Loops over other things."""
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
        for k in range(x.shape[0]):
            x[k].add_(1)
        q, k = x.chunk(2)
        vals, idx = x.max(dim=-1)
        rows, cols = x.shape
        for layer in [self.vec, self.mat]:
            layer.add_(1)
        n = len(x)
        for h in self.host:
            n += 1
        # sum adds views, one launch each: a matter of taste
        total = sum(x)
        return q, k, vals, idx, rows, cols, n, total
