"""Code of the device: its operators are instructions there."""
import torch
import triton
import cutlass.cute as cute


@triton.jit
def copy_step(x, n):
    if x > 0 and n > 0:
        return x
    return n


class Kernel:
    @cute.kernel
    def kernel(self, slots: cute.Tensor, n: int):
        active = slots[0] >= 0 and n > 0
        return active

    def launch_step(self, slots: cute.Tensor, x: torch.Tensor):
        ok = slots[0] and x.shape[0]
        return ok
