"""The expert that every token goes through."""
import torch

from . import kernels
from .config import Config
from .linear import Quantize, Quantized, calibration, plain
from .quantize import Quantizer, fake_quantized
from .weights import Weights


class SharedExpert(torch.nn.Module):
    def __init__(self, cfg: Config, quantizer: Quantizer, weights: Weights, device: torch.device):
        super().__init__()
        gs = calibration(4.0, device)[:1]
        self.quantize = Quantize(cfg.expert_dim, cfg, quantizer, device)
        self.up = fake_quantized(weights.draw(cfg.hidden, 2 * cfg.expert_dim, device=device), quantizer, gs)
        self.down = fake_quantized(weights.draw(cfg.expert_dim, cfg.hidden, device=device), quantizer, gs)
        self.register_buffer("_l1_buf", torch.zeros(cfg.batch, 2 * cfg.expert_dim, device=device))
        self.register_buffer("_output_buf", torch.zeros(cfg.batch, cfg.hidden, device=device))

    def forward(self, a: Quantized) -> torch.Tensor:
        gate, up = self.multiply(a, self.up, self._l1_buf).chunk(2, dim=-1)
        return self.multiply(self.quantize(torch.nn.functional.silu(gate) * up), self.down, self._output_buf)

    def multiply(self, a: Quantized, weight: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        return kernels.gemm(a.q, a.scales, a.gsa, weight, out)

    def reference(self, a: Quantized) -> torch.Tensor:
        gate, up = (plain(a) @ self.up).chunk(2, dim=-1)
        return plain(self.quantize(torch.nn.functional.silu(gate) * up)) @ self.down
