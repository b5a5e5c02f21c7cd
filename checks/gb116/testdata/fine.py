"""Sampling that stays on the device."""
from torch.distributions import Categorical
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
        a = Categorical(logits=x, validate_args=False).sample()
        # measured: neither waits nor breaks a capture
        b = torch.multinomial(x.softmax(-1), num_samples=1)
        c = torch.multinomial(x.softmax(-1), 4, replacement=True)
        # the host's own
        d = Categorical(logits=self.host)
        # noise in place
        e = x + self.mat.exponential_()
        f = torch.normal(self.vec, 1.0)
        return a, b, c, d, e, f
