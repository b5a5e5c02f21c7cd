"""Values that are read one by one."""
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
        peak = x.abs().max().item()  # want "copies one value to the host"
        first = self.vec[0].item()  # want "copies one value"
        total = torch.sum(x).item()  # want "copies one value"
        y = torch.Tensor.item(self.pos)  # want "copies one value"
        rows = [r.sum().item() for r in x]  # want "copies one value"
        return x * (peak + first + total + y), rows


def helper(t):
    return t.mean().item()  # want "copies one value"


def decode_step(x: torch.Tensor):
    return helper(x @ x) + lengths(x)


def lengths(x: torch.Tensor, lens: torch.Tensor | None = None, packed=False):
    if packed:  # no caller here sets it
        assert lens is not None
        return lens.max().item()  # possible "copies one value"
    if lens is not None:
        return lens.sum().item()  # possible "copies one value"
    return x.sum().item()  # want "copies one value"


class Fallback(torch.nn.Module):
    def forward(self, x: torch.Tensor, longest: int | None = None):
        if longest is None:  # who calls it may always say
            longest = x.max().item()  # possible "copies one value"
        return x * longest + x.min().item()  # want "copies one value"
