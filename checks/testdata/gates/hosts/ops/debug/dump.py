import torch


def dump(x: torch.Tensor):
    return x.max().item()
