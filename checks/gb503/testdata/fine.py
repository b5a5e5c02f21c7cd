"""Writes through an index that wait for nothing."""
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
        # a mask
        self.vec[self.mask] = 1.0
        # a device value
        self.vec[self.idx] = self.vec[:4]
        # gather, add, put
        self.vec[self.idx] += 1.0
        # a kernel argument
        self.vec.index_fill_(0, self.idx, 1.0)
        self.vec.scatter_(0, self.idx, 1.0)
        # the host's own
        self.host[torch.tensor([0, 1])] = 1.0
        return x
