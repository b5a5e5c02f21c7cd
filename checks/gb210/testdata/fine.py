"""Indices that gather, and host indices."""
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

    def forward(self, x: torch.Tensor, i: int):
        # one dimension: a gather on the device
        a = self.table[self.idx]
        b = self.table[self.pos.view(1)]
        c = self.table.index_select(0, self.pos.view(1))
        # a one-element result keeps its dimension with keepdim
        d = self.table[self.idx.max(dim=0, keepdim=True).values]
        # host numbers
        e = x[0] + x[i] + x[self.limit - 1]
        # a CPU tensor without dimensions is read without a wait
        f = x[self.host.long()[0, 0]]
        # rank not known: most likely a gather
        g = x[self.lookup(x)]
        return a, b, c, d, e, f, g

    def lookup(self, x):
        return x.squeeze().long()
