"""Counters that a replay does not advance."""
import torch


class Quant(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(1))
        self.calls = 0

    def forward(self, x: torch.Tensor):
        self.calls += 1
        if self.calls % 10 == 0:  # want "decided once, at capture"
            self.scale.copy_(x.abs().max())
        return x * self.scale
