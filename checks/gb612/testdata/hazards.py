"""A detector that is in its own way."""
import torch


def record(model, x):
    g = torch.cuda.CUDAGraph()
    torch.cuda.set_sync_debug_mode("error")  # want "armed when the capture begins"
    with torch.cuda.graph(g):
        y = model(x)
    torch.cuda.set_sync_debug_mode(2)  # want "armed when the capture begins"
    with torch.cuda.graph(g):
        y = model(x)
    return g, y
