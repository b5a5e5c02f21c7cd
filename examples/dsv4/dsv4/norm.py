"""RMSNorm."""
import torch

from .weights import Weights


class RMSNorm(torch.nn.Module):
    def __init__(self, dim: int, weights: Weights, device: torch.device):
        super().__init__()
        self.weight = torch.nn.Parameter(1 + weights.draw(dim, device=device, gain=0.1), requires_grad=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.rms_norm(x, (x.shape[-1],), self.weight, 1e-6)
