import torch
from ops.debug.dump import dump
from torch import nn


class Layer(nn.Module):
    def forward(self, x: torch.Tensor):
        dump(x)
        return x.max().item()  # gates

    def forward_cpu(self, x: torch.Tensor):
        return _cpu_kernel(x)


def _cpu_kernel(x: torch.Tensor):
    return helper(x)


def helper(x: torch.Tensor):
    return x.max().item()
