import torch
from torch import nn


class Restore(nn.Module):
    def forward(self, x: torch.Tensor):
        return x.max().item()
