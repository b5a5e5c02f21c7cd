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


class Lookup(nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor | list, **kwargs):
        found = {}
        for name in kwargs["names"]:
            found[name] = x + 1
        found.get("lse").item()  # possible: some key holds a tensor, this one may not be there
        if isinstance(mask, (list, tuple)):
            mask = mask[0].item()
        self.refuse(x)

    def refuse(self, x: torch.Tensor):
        raise ValueError(f"{x.item()} is too large")


class HostPool:
    def execute_model(self, indices: torch.Tensor):
        indices.item()  # possible: what a host pool is handed may be on the host


class PoolHost(nn.Module):
    def forward(self, x: torch.Tensor):
        x.item()  # possible
