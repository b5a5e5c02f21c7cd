"""Asynchronous copies that are."""
from types import SimpleNamespace as NS
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

    def forward(self, x: torch.Tensor, src: torch.Tensor):
        self.mat.copy_(self.pinned, non_blocking=True)
        a = self.pinned.to("cuda", non_blocking=True)
        # says nothing: GB505
        b = self.host.to("cuda")
        # device to device
        self.mat.copy_(x, non_blocking=True)
        # to the host
        c = x.to("cpu", non_blocking=True)
        return a, b, c


def build(device):
    host = torch.zeros(8)
    # pinned wherever there is a device
    return NS(host=host.pin_memory() if torch.cuda.is_available() else host, x=torch.zeros(8).to(device))


def step(st, i):
    st.x.copy_(st.host, non_blocking=True)
    return st.x
