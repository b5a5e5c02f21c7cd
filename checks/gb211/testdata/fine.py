"""Numbers written through a mask."""
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
        x[self.mask] = 3
        x[x > 0] = 0.0
        x.masked_fill_(self.mask, float("-inf"))
        # a 0-d CPU tensor is taken as a number
        x.masked_fill_(self.mask, torch.tensor(0.0))
        y = torch.where(self.mask, x.amin(), x)
        # no mask: rows by index
        self.table[self.idx] = self.table[self.idx] + 1
        z = x.masked_scatter(self.mask, self.mat)
        # on the host
        self.host[self.host > 0] = self.host[0, 0]
        return y, z
