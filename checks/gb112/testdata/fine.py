"""Copies that do not wait, or stay on one side."""
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

    def forward(self, x: torch.Tensor, wait: bool):
        # asynchronous into pinned memory
        self.pinned.copy_(x, non_blocking=True)
        # device to device
        self.mat.copy_(x)
        self.mat[:] = x
        # host to host
        self.host.copy_(self.pinned)
        # host to device is GB505
        self.mat.copy_(self.host)
        # not known: another caller decides
        self.pinned.copy_(x, non_blocking=wait)
        return x
