"""Numbers written through an index tensor."""
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
        self.vec[self.idx] = 1.0  # want "writing a number through an index tensor"
        self.table[self.idx] = 0  # want "writing a number through an index tensor"
        self.mat[0, self.idx] = 0.5  # want "writing a number through an index tensor"
        return x


def unknown_step(x: torch.Tensor, where: torch.Tensor):
    # an index or a mask
    x[where] = 0  # possible "if it is no mask"
    return x
