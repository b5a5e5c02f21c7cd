"""Moves that are none, or that do not wait."""
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
        # a change of dtype stays on the device
        a = x.to(torch.bfloat16)
        # to another device tensor
        b = x.to(self.vec)
        # asynchronous, into pinned memory that torch allocates
        c = x.to("cpu", non_blocking=True)
        # on the host already
        d = self.host.cpu()
        e = self.host.to("cpu")
        # the way to the device is another rule
        f = self.host.to("cuda")
        return a, b, c, d, e, f


class Basket:
    def cpu(self):
        return 1


def next_step(x: torch.Tensor):
    # a class of the project
    return x * Basket().cpu()
