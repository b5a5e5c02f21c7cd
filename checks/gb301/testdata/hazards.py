"""New device tensors in every step."""
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
        a = torch.zeros(4, 8, device=x.device)  # want "allocates a device tensor"
        b = torch.ones(8, device="cuda")  # want "allocates a device tensor"
        c = torch.full((4,), 1.0, device=self.vec.device)  # want "allocates a device tensor"
        d = torch.empty(x.shape[0], 8, device="cuda:0")  # want "allocates a device tensor"
        e = torch.arange(8, device=x.device)  # want "allocates a device tensor"
        f = torch.rand(4, device="cuda")  # want "allocates a device tensor"
        return a, b, c, d, e, f

    def grow_step(self, n: int):
        if self.vec.numel() < n:
            # regrown whenever it is too small: another address for a graph
            self.vec = torch.empty(n, device="cuda")  # want "allocates a device tensor"
        return self.vec[:n]
