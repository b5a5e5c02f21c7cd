"""Graphs with nothing in them."""
import torch


def record_empty():
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g):  # want "the graph is empty"
        n = 4
    return g, n


def record_elsewhere():
    x = torch.zeros(8, device="cuda:0")
    g = torch.cuda.CUDAGraph()
    with torch.cuda.device(1), torch.cuda.graph(g):  # want "on device 1 and `x` is on device 0"
        y = x + 1
    return g, y
