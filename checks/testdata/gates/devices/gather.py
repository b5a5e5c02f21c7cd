import torch
import torch.nn.functional as F
from torch import nn


class Delayer:
    def __init__(self, group, nccl: bool):
        self.device = "cuda"
        if nccl:
            self.gather_device = group.device
        else:
            self.gather_device = "cpu"
        self.info = torch.empty(4, device=self.gather_device)
        self.stats = torch.empty(4, device=self.device)
        self.mirror = torch.empty_like(self.stats, device="cpu")
        self.copy = torch.empty_like(self.mirror, device="cuda")

    def decode_step(self):
        a = self.info.max().item()  # possible: the gather runs on the CPU by default
        b = self.stats.max().item()  # gates
        c = self.mirror.max().item()
        d = self.copy.max().item()  # gates
        return a, b, c, d


class Windows(nn.Module):
    def forward(self, x: torch.Tensor, grid: torch.Tensor):
        index = torch.arange(16).reshape(4, 4)
        padded = F.pad(index, (0, grid[0], 0, grid[1]), "constant", -100)
        first = padded[padded != -100].max().item()  # what is padded is on the CPU, whatever counts the padding
        both = torch.cat([index, x]).max()
        return first, both.item()  # gates
