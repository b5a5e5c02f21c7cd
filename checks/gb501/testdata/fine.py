"""Host data that stays, and fills."""
import numpy as np
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

    def forward(self, x: torch.Tensor, n: int):
        # on the CPU
        a = torch.tensor([1, 2, 3])
        b = torch.as_tensor(np.arange(4))
        # a fill on the device: an allocation, GB301
        c = torch.full((4,), 3, device="cuda")
        # on the device already
        d = torch.as_tensor(x, device="cuda")
        # in place
        e = self.vec.fill_(n)
        # reading, not building
        f = torch.tensor_split(x, 2)
        # nothing to copy
        g = torch.tensor([], device="cuda")
        return a, b, c, d, e, f, g


class Loader:
    def __init__(self):
        self.ids = torch.tensor([1, 2, 3], device="cuda")
