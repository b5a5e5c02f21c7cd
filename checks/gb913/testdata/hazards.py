"""Other stacks that wait."""
import torch
import warp as wp
from numba import cuda


class Layer(torch.nn.Module):
    def forward(self, x: torch.Tensor, d_scores):
        wp.synchronize()  # want "makes the host wait"
        cuda.synchronize()  # want "makes the host wait"
        return d_scores.copy_to_host()  # want "copies to the host"
