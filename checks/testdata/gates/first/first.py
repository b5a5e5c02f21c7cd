import torch
from torch import nn


class Rotary(nn.Module):
    def __init__(self):
        super().__init__()
        self.ready = False
        self.bound = None

    def forward(self, x: torch.Tensor):
        if not self.ready:
            self.bound = x.max().item()  # possible: runs once
            self.ready = True
        if not self.training:
            x.min().item()  # gates
        try:
            y = x.pin_memory()
        except RuntimeError:
            y = x.sum().item()  # possible: after an error
        return y
