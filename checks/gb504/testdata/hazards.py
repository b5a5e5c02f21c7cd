"""Host indices into device tensors."""
import numpy as np
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
        a = x[[0, 2]]  # want "`\[0, 2\]` is host data"
        b = x[np.arange(4)]  # want "is host data"
        c = x[self.host.long()[0]]  # want "is host data"
        d = x[:, self.ids]  # want "`self.ids` is host data"
        x[:, self.ids] = 0.0  # want "is host data"
        e = self.table[torch.tensor([1, 2])]  # want "is host data"
        # an array, or a number out of one
        f = x[np.load("rows.npy")]  # possible "is host data"
        return a, b, c, d, e, f
