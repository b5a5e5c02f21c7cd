"""The expert that every token goes through."""
import torch

from . import kernels
from .config import Config
from .linear import calibration
from .quantize import BLOCK, Quantizer, broadcast_gsa, fake_quantized
from .scales import assemble_scales, scale_buffer
from .weights import Weights


class SharedExpert(torch.nn.Module):
    def __init__(self, cfg: Config, quantizer: Quantizer, weights: Weights, device: torch.device):
        super().__init__()
        self.quantizer = quantizer
        self.register_buffer("amax", calibration(16.0, device))
        self.gsa = self.amax[:1]
        self.up = fake_quantized(weights.draw(cfg.hidden, 2 * cfg.expert_dim, device=device), quantizer, self.gsa)
        self.down = fake_quantized(weights.draw(cfg.expert_dim, cfg.hidden, device=device), quantizer, self.gsa)
        self.register_buffer("_scale_a_buf", scale_buffer(cfg.batch, max(cfg.hidden, cfg.expert_dim) // BLOCK, device))
        self.register_buffer("_gsa_buf", torch.zeros(cfg.batch, device=device))
        self.register_buffer("_l1_buf", torch.zeros(cfg.batch, 2 * cfg.expert_dim, device=device))
        self.register_buffer("_output_buf", torch.zeros(cfg.batch, cfg.hidden, device=device))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        gate, up = self.multiply(x, self.up, self._l1_buf).chunk(2, dim=-1)
        return self.multiply(torch.nn.functional.silu(gate) * up, self.down, self._output_buf)

    def multiply(self, x: torch.Tensor, weight: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        q, scale = self.quantizer(x, self.gsa)
        scales = assemble_scales(scale, self._scale_a_buf)
        gsa = broadcast_gsa(self.gsa, x.shape[0], self._gsa_buf)
        return kernels.gemm(q, scales, gsa, weight, out)

    def reference(self, x: torch.Tensor) -> torch.Tensor:
        def multiply(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
            q, scale = self.quantizer(a, self.gsa)
            return (q.unflatten(-1, (-1, BLOCK)) * scale.float().unsqueeze(-1)).flatten(-2) * self.gsa @ weight

        gate, up = multiply(x, self.up).chunk(2, dim=-1)
        return multiply(torch.nn.functional.silu(gate) * up, self.down)
