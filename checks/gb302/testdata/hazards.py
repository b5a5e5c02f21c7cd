"""Copies and tensors of the same shape in every step."""
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
        a = torch.where(self.mask, x, torch.zeros_like(x))  # want "`torch.zeros_like\(x\)` allocates"
        b = x.clone()  # want "allocates a device tensor"
        c = torch.empty_like(self.vec)  # want "allocates a device tensor"
        d = x.new_zeros(4, 8)  # want "allocates a device tensor"
        e = torch.clone(x)  # want "allocates a device tensor"
        f = torch.full_like(x, 2.0)  # want "allocates a device tensor"
        return a, b, c, d, e, f
