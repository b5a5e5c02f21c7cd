import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 128}), triton.Config({"BLOCK": 256})],
    key=["n"],  # want "holds `n`"
)
@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    tl.store(y, tl.load(x))


def decode_step(x: torch.Tensor, y: torch.Tensor, step: int):
    copy[(8,)](x, y, 1023 - step)  # want "new `n` in every step"
    return y
