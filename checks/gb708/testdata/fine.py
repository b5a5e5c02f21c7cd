"""Numbers drawn on the device, or at load time."""
import random
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

        self.seed = random.random()

    def forward(self, x: torch.Tensor):
        a = self.vec.uniform_()
        b = torch.rand(4, device="cuda")
        return x, a, b


class Scheduler:
    def step(self):
        # no tensor in sight: metrics of the host
        return random.random() < 0.1
