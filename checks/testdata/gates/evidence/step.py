from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Range:
    embed: torch.Tensor


def tokenize(parse):
    return Range(embed=parse())


class Layer(nn.Module):
    def forward(self, x: torch.Tensor, lens: torch.Tensor, shapes: torch.Tensor, r: Range):
        order = lens.numpy()  # NumPy takes the memory over: it is on the host
        lens.max().item()
        shapes.max().item()  # gates
        assert shapes.device.type == "cpu"
        shapes.max().item()
        if x.device.type == "cuda":
            x.max().item()  # gates
        r.embed.max().item()  # possible: made where requests are prepared
        return order
