import torch
from torch import nn


class Encoder(nn.Module):
    def forward(self, pixels: torch.Tensor, shapes: torch.Tensor):
        n = shapes.max().item()  # possible: declared as a tensor, and the caller in model.py has it on the CPU
        m = pixels.max().item()  # gates
        return pixels[:n], m


class Alone(nn.Module):
    def forward(self, x: torch.Tensor):
        return x.max().item()  # gates: nobody says otherwise
