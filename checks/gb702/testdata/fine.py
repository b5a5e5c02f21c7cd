"""Branches that a scheduler can choose by."""
import torch


class Quant(torch.nn.Module):
    def __init__(self, every):
        super().__init__()
        self.register_buffer("scale", torch.ones(1))
        self.calls = 0
        self.every = every
        self.step = 0

    def forward(self, x: torch.Tensor, step: int, refresh: bool):
        self.calls += 1  # counted, and nothing depends on it
        if step % 128 == 0 or refresh or self.every > 4:
            self.scale.copy_(x.abs().max())
        if self.step % 4 == 0:  # counted by someone else
            x = x * 2
        if self.calls % 100 == 0:
            self.note = "still running"  # no work for the device
        return x * self.scale


class Scheduler:
    def decode_batch(self, x: torch.Tensor):
        self.turn += 1
        if self.turn % 4 == 0:  # runs beside the graph
            x = x * 2
        return x
