"""Graphs over plans that move."""
import torch
from flashinfer import BatchDecodeWithPagedKVCacheWrapper


class Runner:
    def __init__(self, workspace):
        self.decode = BatchDecodeWithPagedKVCacheWrapper(workspace, "NHD")  # want "makes new buffers in each plan"
        self.other = BatchDecodeWithPagedKVCacheWrapper(workspace, use_cuda_graph=False)  # want "makes new buffers"

    def capture(self, q, cache):
        g = torch.cuda.CUDAGraph()
        with torch.cuda.graph(g):
            self.out = self.decode.run(q, cache)
        return g
