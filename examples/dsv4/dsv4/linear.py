"""A linear layer with 4-bit activations and weights."""
import torch

from . import kernels
from .config import Config
from .quantize import BLOCK, Quantizer, broadcast_gsa, fake_quantized
from .scales import assemble_scales, scale_buffer
from .weights import Weights

AMAX_HISTORY = 8


def calibration(amax: float, device: torch.device) -> torch.Tensor:
    """The global activation scales that calibration saw, newest first. The first one is in use; the others are what the
    checkpoint keeps beside it."""
    return torch.tensor([amax * (1 + i / 4) / (6 * 448) for i in range(AMAX_HISTORY)], device=device)


class Linear(torch.nn.Module):
    def __init__(self, k: int, n: int, cfg: Config, quantizer: Quantizer, weights: Weights, device: torch.device):
        super().__init__()
        self.quantizer = quantizer
        self.register_buffer("amax", calibration(16.0, device))
        self.gsa = self.amax[:1]
        self.weight = fake_quantized(weights.draw(k, n, device=device), quantizer, self.gsa)
        self.register_buffer("_scale_a_buf", scale_buffer(cfg.batch, max(cfg.hidden, k) // BLOCK, device))
        self.register_buffer("_gsa_buf", torch.zeros(cfg.batch, device=device))
        self.register_buffer("_output_buf", torch.zeros(cfg.batch, n, device=device))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, scale = self.quantizer(x, self.gsa)
        scales = assemble_scales(scale, self._scale_a_buf)
        gsa = broadcast_gsa(self.gsa, x.shape[0], self._gsa_buf)
        return kernels.gemm(q, scales, gsa, self.weight, self._output_buf)

    def reference(self, x: torch.Tensor) -> torch.Tensor:
        """The same product with no layout, no buffer and no address in between."""
        q, scale = self.quantizer(x, self.gsa)
        return (q.unflatten(-1, (-1, BLOCK)) * scale.float().unsqueeze(-1)).flatten(-2) * self.gsa @ self.weight
