"""Numbers written to single elements."""
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
        self.vec[0] = n  # want "copies the number to the device"
        self.mat[0, 1] = 1.0  # want "copies the number to the device"
        for g in range(8):
            self.vec[g] = g * n  # want "copies the number to the device"
        self.vec[-1] = float(n)  # want "copies the number to the device"
        return self.vec


def unknown_rank_step(x: torch.Tensor, n: int):
    # a single element if x has one dimension
    x[0] = n  # possible "if this is a single element"
    return x
