"""What a search for `.item(` finds and should not."""
import numpy as np
VERBOSE = 0
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
        # a CPU tensor: reading it waits for nothing
        width = self.host.sum().item()
        # items() is not item()
        for key, value in cfg.items():
            width += len(key)
        # NumPy values are on the host
        peak = np.array([1.0, 2.0]).max().item()
        # a result that has been brought over already (that is GB103's line)
        again = x.sum().cpu().item()
        # metadata
        n = x.shape[0] + x.numel()
        return x * (width + peak + again + n)

    def debug_step(self, x: torch.Tensor):
        y = x @ self.weight
        if VERBOSE >= 2:
            # off in production: kept and marked
            print(y.abs().max().item())  # suppressed "copies one value"
        return y


class Shelf:
    def item(self, k=0):
        return k


def serve_step(x: torch.Tensor):
    # a method of the project that happens to be called item
    return x * Shelf().item(2)


def load_weights(path):
    # nothing in a step calls this
    return torch.zeros(3, device="cuda").sum().item()


def probe_step(thing):
    # nothing is known about thing: shown, never gating
    return thing.item()  # possible "copies one value"
