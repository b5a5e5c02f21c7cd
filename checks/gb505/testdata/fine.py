"""Copies that do not wait, or that are none."""
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
        a = self.pinned.to("cuda", non_blocking=True)
        self.mat.copy_(self.pinned, non_blocking=True)
        # dtype and device to device
        b = x.to(torch.bfloat16)
        c = x.to("cuda")
        d = x.cuda()
        self.mat.copy_(x)
        # stays on the host
        e = self.host.to(torch.float64)
        self.host.copy_(self.pinned)
        # decided elsewhere
        f = self.pinned.to("cuda", non_blocking=wait)
        # a fill
        self.vec[:] = torch.tensor(0.0)
        return a, b, c, d, e, f
