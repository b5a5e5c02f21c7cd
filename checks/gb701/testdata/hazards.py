"""Numbers that a graph would keep."""
import torch
import triton
import triton.language as tl


@triton.jit
def rotate(x, pos, BLOCK: tl.constexpr):
    pass


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("freqs", torch.zeros(8))
        self.mask = torch.zeros(64, device="cuda")
        self.idx = torch.arange(64, device="cuda")

    def forward(self, x: torch.Tensor, start_pos: int):
        angles = self.freqs * start_pos  # want "`start_pos`, which changes in every step"
        end = start_pos + 1
        seen = self.idx.lt(end)  # want "gets `end`"
        x = x.add_(start_pos)  # want "gets `start_pos`"
        rotate[(4,)](x, start_pos, BLOCK=64)  # want "gets `start_pos`"
        later = self.idx + int(end)  # want "`end`"
        return x, angles, seen, later
