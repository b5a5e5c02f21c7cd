"""Compilers before the step, or on first use."""
import functools
import re
import torch
import triton
from torch.utils.cpp_extension import load_inline


CACHE = {}


@torch.compile
def fused(x):
    return x * 2


@functools.cache
def kernel(name: str):
    return load_inline(name, "")


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.compiled = torch.compile(self.block)
        self.kernels = {}
        self.lazy = None

    def block(self, x):
        return x * 2

    def forward(self, x: torch.Tensor, key: int):
        if key not in self.kernels:
            self.kernels[key] = triton.compile(key)
        if self.lazy is None:
            self.lazy = torch.compile(self.block)
        known = CACHE[key] if key in CACHE else None
        if known is None:
            known = triton.compile(key)
            CACHE[key] = known
        pattern = re.compile("a+")
        return fused(x) + self.compiled(x) + self.lazy(x), kernel("f"), pattern
