"""Memory that stays."""
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
        self.weight.copy_(x)
        self.weight.data.copy_(x)
        self.host.resize_(4)
        # made on the spot
        b = torch.empty(0, device="cuda").set_(x)
        a = self.vec[:4] + b
        return a


class Box:
    def __init__(self):
        self.data = 0


def box_step(x: torch.Tensor):
    b = Box()
    b.data = x.shape
    return x


def padded_step(x: torch.Tensor):
    # made in this step, and made smaller: no graph knows it
    padded = x.new_empty((8, 8))
    padded.resize_((4, 8))
    return padded
