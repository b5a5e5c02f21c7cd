import torch


def step(counts: torch.Tensor, x: torch.Tensor, ids: torch.Tensor, ones: torch.Tensor):
    counts.scatter_add_(0, ids, ones)
    counts.scatter_add_(0, ids.to(torch.int64), ones)
    counts.scatter_add_(0, ids.to(torch.int32), ones)
    counts.scatter_add_(0, ids.to(torch.int16).long(), ones)  # widened again
    counts.scatter_add_(0, ids.to(torch.int16).to(torch.int64), ones)
    counts.scatter_add_(0, ids, ones.to(torch.int16))  # the values, not the index
    return counts
