"""Host data put on the device in every step."""
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
        a = torch.tensor([n] * 4, device=x.device)  # want "copies host data"
        b = torch.tensor(n, device="cuda")  # want "copies host data"
        c = torch.as_tensor(np.arange(4), device="cuda")  # want "copies host data"
        d = x.new_tensor([1.0, 2.0])  # want "copies host data"
        e = torch.cuda.FloatTensor([1.0])  # want "copies host data"
        return a, b, c, d, e


class Uncached(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.pointers = None

    def forward(self, x: torch.Tensor, n: int, cached=None):
        if cached is not None:
            return x
        if self.pointers is not None:
            return x + 1
        # nothing is kept: made again in the next step
        return x * torch.tensor([n], device=x.device)  # want "copies host data"
