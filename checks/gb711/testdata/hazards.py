"""Graphs that outlive the casts they use."""
import torch


def record(model, x):
    g = torch.cuda.CUDAGraph()
    with torch.autocast("cuda", dtype=torch.bfloat16):  # want "freed when the block ends"
        with torch.cuda.graph(g):
            y = model(x)
    with torch.cuda.amp.autocast(), torch.cuda.graph(g):  # want "freed when the block ends"
        y = model(x)
    return g, y
