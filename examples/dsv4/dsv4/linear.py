"""Linear layers with 4-bit activations and weights. What several layers read is quantized once."""
from typing import NamedTuple

import torch

from . import kernels
from .config import Config
from .quantize import BLOCK, E4M3_MAX, Quantizer, broadcast_gsa, fake_quantized
from .scales import assemble_scales, scale_buffer
from .weights import Weights

AMAX_HISTORY = 8


class Quantized(NamedTuple):
    """An activation as the kernels take it."""
    q: torch.Tensor       # values [rows, k / 16, 16]
    scale: torch.Tensor   # block scales [rows, k / 16]
    scales: torch.Tensor  # the same, swizzled
    gsa: torch.Tensor     # the global scale, one for each row, contiguous


def calibration(amax: float, device: torch.device) -> torch.Tensor:
    """The global activation scales that calibration saw, newest first. The first one is in use; the others are what the
    checkpoint keeps beside it."""
    return torch.tensor([amax * (1 + i / 4) / E4M3_MAX for i in range(AMAX_HISTORY)], device=device)


class Quantize(torch.nn.Module):
    """Quantizes rows [batch, k] for the layers that read them."""

    def __init__(self, k: int, cfg: Config, quantizer: Quantizer, device: torch.device, amax: float = 16.0):
        super().__init__()
        self.quantizer = quantizer
        self.register_buffer("amax", calibration(amax, device))
        self.gsa = self.amax[:1]
        self.register_buffer("_scale_a_buf", scale_buffer(cfg.batch, max(cfg.hidden, k) // BLOCK, device))
        self.register_buffer("_gsa_buf", torch.zeros(cfg.batch, device=device))

    def forward(self, x: torch.Tensor) -> Quantized:
        q, scale = self.quantizer(x, self.gsa)
        scales = assemble_scales(scale, self._scale_a_buf)
        return Quantized(q, scale, scales, broadcast_gsa(self.gsa, x.shape[0], self._gsa_buf))

    def reference(self, x: torch.Tensor) -> Quantized:
        """With nothing laid out for a kernel."""
        q, scale = self.quantizer(x, self.gsa)
        return Quantized(q, scale, scale, self.gsa)


def plain(a: Quantized) -> torch.Tensor:
    """The numbers that a quantized activation stands for, by its own scales."""
    return (a.q * a.scale.float().unsqueeze(-1)).flatten(1) * a.gsa


class Linear(torch.nn.Module):
    def __init__(self, k: int, n: int, cfg: Config, quantizer: Quantizer, weights: Weights, device: torch.device):
        super().__init__()
        self.weight = fake_quantized(weights.draw(k, n, device=device), quantizer, calibration(4.0, device)[:1])
        self.register_buffer("_output_buf", torch.zeros(cfg.batch, n, device=device))

    def forward(self, a: Quantized) -> torch.Tensor:
        return kernels.gemm(a.q, a.scales, a.gsa, self.weight, self._output_buf)

    def reference(self, a: Quantized) -> torch.Tensor:
        return plain(a) @ self.weight
