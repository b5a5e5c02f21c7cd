"""A linear layer in groups: each group of the input has its own weight, all of them in one launch. The output projection
is one."""
import torch

from . import kernels
from .config import Config
from .linear import Quantized, calibration, plain
from .quantize import BLOCK, Quantizer, broadcast_gsa, fake_quantized
from .scales import assemble_scales, scale_buffer
from .weights import Weights


class GroupedLinear(torch.nn.Module):
    """x [batch, groups * k] to [batch, groups * n]."""

    def __init__(self, k: int, n: int, groups: int, cfg: Config, quantizer: Quantizer, weights: Weights, device: torch.device):
        super().__init__()
        self.quantizer, self.groups = quantizer, groups
        rows = groups * cfg.batch
        self.register_buffer("amax", calibration(4.0, device))
        self.gsa = self.amax[:1]
        self.weight = fake_quantized(weights.draw(groups, k, n, device=device), quantizer, self.gsa)
        self.register_buffer("_scale_a_buf", scale_buffer(cfg.batch, max(cfg.hidden, k) // BLOCK, device, groups))
        self.register_buffer("_gsa_buf", torch.zeros(rows, device=device))
        self.register_buffer("_output_buf", torch.zeros(rows, 1, n, device=device))
        self.register_buffer("_group_range", torch.arange(1, groups + 1, device=device))
        self.register_buffer("group_offsets", torch.zeros(groups, dtype=torch.int64, device=device))
        self.register_buffer("_rows", torch.arange(rows, device=device))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch = x.shape[0]
        q, scale = self.quantizer(self.by_group(x), self.gsa)
        scales = assemble_scales(scale, self._scale_a_buf, self.groups)
        gsa = broadcast_gsa(self.gsa, self.groups * batch, self._gsa_buf)
        ends = self.offsets(batch)
        y = kernels.grouped_gemm(q, scales, gsa, self.weight, ends, self._rows, self._output_buf, self.groups)
        return y.view(self.groups, batch, -1).transpose(0, 1).flatten(1)

    def by_group(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(x.shape[0], self.groups, -1).transpose(0, 1).flatten(0, 1)

    def offsets(self, padded_rows: int) -> torch.Tensor:
        """The row behind each group: an element-wise multiply on the device, of a range made once."""
        torch.mul(self._group_range, padded_rows, out=self.group_offsets)
        return self.group_offsets

    def reference(self, x: torch.Tensor) -> torch.Tensor:
        batch = x.shape[0]
        q, scale = self.quantizer(self.by_group(x), self.gsa)
        a = plain(Quantized(q, scale, scale, self.gsa))
        y = torch.bmm(a.unsqueeze(1), self.weight.repeat_interleave(batch, dim=0))
        return y.view(self.groups, batch, -1).transpose(0, 1).flatten(1)
