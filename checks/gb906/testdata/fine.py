"""Wrappers in graph mode, and eager ones beside them."""
import torch
from flashinfer import BatchDecodeWithPagedKVCacheWrapper, BatchPrefillWithPagedKVCacheWrapper


class Runner:
    def __init__(self, workspace, indptr, graphs: bool):
        self.decode = BatchDecodeWithPagedKVCacheWrapper(workspace, "NHD", use_cuda_graph=True, paged_kv_indptr_buffer=indptr)
        self.chosen = BatchDecodeWithPagedKVCacheWrapper(workspace, "NHD", use_cuda_graph=graphs)
        self.prefill = BatchPrefillWithPagedKVCacheWrapper(workspace, "NHD")  # runs eagerly

    def capture(self, q, cache):
        g = torch.cuda.CUDAGraph()
        with torch.cuda.graph(g):
            self.out = self.decode.run(q, cache)
        return g
