import torch


def step(counts: torch.Tensor, x: torch.Tensor, ids: torch.Tensor, ones: torch.Tensor):
    narrow = ids.to(torch.int16)
    counts.scatter_add_(0, narrow, ones)  # want "index of type torch.int16"
    torch.gather(x, 0, ids.to(torch.uint8))  # want "torch.uint8"
    x.index_select(0, index=ids.to(dtype=torch.int8))  # want "torch.int8"
    return counts
