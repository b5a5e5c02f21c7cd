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


class Launch(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = set()
        self.pinned = torch.zeros_like(torch.empty(4), pin_memory=torch.cuda.is_available())

    def forward(self, x: torch.Tensor, key):
        if key in self.seen:
            return x
        x.max().item()  # possible: once for each key
        self.seen.add(key)
        return x


def decode_frames(packets: torch.Tensor):
    return packets.max().item()  # possible: a file is decoded, and nobody is seen to call it


def decode_tokens(ids: torch.Tensor):
    return ids.max().item()  # gates


class Varlen(nn.Module):
    def forward(self, x: torch.Tensor, bounds: torch.Tensor, bounds_host=None):
        n = bounds_host if bounds_host is not None else bounds.max().item()  # possible: callers hand it in
        if x.ndim != 2:
            first = x.min().item()  # possible: an error comes of it
            raise ValueError(f"{first}")
        return n
