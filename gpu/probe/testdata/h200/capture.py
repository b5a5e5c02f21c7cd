"""A capture that a sync breaks, and one that passes, seen by the probe: codes, modes, graph launches."""

import torch

x = torch.zeros(64, device="cuda")
for _ in range(3):
    x.add_(1)
torch.cuda.synchronize()
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    x.add_(1)
for _ in range(3):
    g.replay()
torch.cuda.synchronize()
try:
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        x.add_(1)
        x.sum().item()  # want GB101
except Exception as e:
    print("capture raised", type(e).__name__)
