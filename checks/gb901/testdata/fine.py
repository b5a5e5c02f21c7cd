import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 128})], key=["total"])
@triton.jit
def copy(x, y, n_ptr, total, BLOCK: tl.constexpr):
    tl.store(y, tl.load(x))


@triton.jit
def plain(x, y, n):
    tl.store(y, tl.load(x))


def decode_step(x: torch.Tensor, y: torch.Tensor, n: torch.Tensor, step: int):
    copy[(8,)](x, y, n, 1024)
    copy[(8,)](x, y, n, total=x.shape[0])  # a shape is fixed for a graph
    plain[(8,)](x, y, step)  # no autotuner
    return y
