"""Compilers in the step."""
import cupy
import torch
import triton
from torch.utils.cpp_extension import load_inline


class Layer(torch.nn.Module):
    def block(self, x):
        return x * 2

    def forward(self, x: torch.Tensor, src: str):
        y = torch.compile(self.block)(x)  # want "compiles inside the step"
        k = cupy.RawKernel(src, "f")  # want "compiles inside the step"
        m = load_inline("f", src)  # want "compiles inside the step"
        t = triton.compile(src)  # want "compiles inside the step"
        return y, k, m, t
