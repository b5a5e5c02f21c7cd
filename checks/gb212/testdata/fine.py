"""Tensors of fixed size, and parts of one step."""
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

        self.log = []

    def forward(self, x: torch.Tensor):
        # written in place
        self.mat.index_copy_(0, self.idx, x[:4])
        # parts of this step
        y = torch.cat([x, x])
        self.last = torch.cat([x, y])
        y = torch.cat([y, x])
        # host lists
        self.log = self.log + [1]
        return y
