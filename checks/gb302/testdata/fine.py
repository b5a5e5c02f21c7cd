"""Arithmetic, and copies that are not of device tensors."""
import copy
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

    def forward(self, x: torch.Tensor, cfg: dict):
        # out-of-place arithmetic is not reported
        a = (x + 1) * self.mat
        b = torch.cat([x, self.mat])
        # in place
        self.mat.copy_(x)
        # on the host
        c = self.host.clone()
        d = torch.zeros_like(self.host)
        # no tensor
        e = copy.deepcopy(cfg)
        return a, b, c, d, e


class Grid:
    def clone(self):
        return self


def grid_step(x: torch.Tensor):
    return x, Grid().clone()
