"""Graphs that hold what they should."""
import torch


def record(model, x: torch.Tensor, rank: int):
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g):
        y = model(x)  # what it launches is not known here
    with torch.cuda.device(rank), torch.cuda.graph(g):
        z = x + 1
    a = torch.zeros(8, device="cuda:1")
    with torch.cuda.device(1), torch.cuda.graph(g):
        b = a + 1
    with torch.cuda.device("cuda:1"), torch.cuda.graph(g):
        a.add_(1)
    return g, y, z, b


def recording(g):
    with torch.cuda.graph(g):
        yield  # the caller's block is what is captured
