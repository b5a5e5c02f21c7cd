"""Graphs that own the casts they use."""
import torch


def record(model, x, half):
    g = torch.cuda.CUDAGraph()
    with torch.autocast("cuda", cache_enabled=False):
        with torch.cuda.graph(g):
            y = model(x)
    with torch.autocast("cuda", enabled=half):
        with torch.cuda.graph(g):
            y = model(x)
    with torch.cuda.graph(g):
        with torch.autocast("cuda"):
            y = model(x)
    with torch.cuda.graph(g), torch.autocast("cuda"):
        y = model(x)
    return g, y
