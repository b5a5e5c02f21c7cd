"""Tensors that are made once, or on the host."""
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

        self.buf = None

    def forward(self, x: torch.Tensor):
        # made on first use
        if self.buf is None:
            self.buf = torch.empty(4, device="cuda")
        # refilled in place
        a = self.vec.zero_()
        b = self.mat.fill_(1.0)
        # on the host
        c = torch.zeros(4)
        d = torch.arange(8, device="cpu")
        # written into what exists
        torch.zeros(8, out=self.vec)
        # from host data: GB501
        e = torch.tensor([1, 2], device="cuda")
        return a, b, c, d, e


def build_buffers(device):
    # no step calls this
    return torch.zeros(4, device="cuda")


_workspace = None


def workspace_step(x: torch.Tensor):
    global _workspace
    if _workspace is None:
        _workspace = torch.zeros(4, device=x.device)
    return _workspace


class Lazy(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        if not hasattr(self, "cache"):
            self.cache = torch.zeros(4, device=x.device)
        return self.cache
