"""The routed experts: six for a token, all of them in two grouped launches that are the same whatever the router chose."""
import torch

from . import kernels
from .config import Config
from .linear import calibration
from .quantize import BLOCK, Quantizer, fake_quantized
from .scales import assemble_scales, scale_buffer
from .weights import Weights


class MoE(torch.nn.Module):
    def __init__(self, cfg: Config, quantizer: Quantizer, weights: Weights, device: torch.device):
        super().__init__()
        self.quantizer, self.top_k, self.experts = quantizer, cfg.top_k, cfg.experts
        slots = cfg.batch * cfg.top_k
        self.register_buffer("amax", calibration(16.0, device))
        self.gsa = self.amax[:1]
        self.l1_gs = 16.0 / (6 * 448)
        self.w1 = fake_quantized(weights.draw(cfg.experts, cfg.hidden, 2 * cfg.expert_dim, device=device), quantizer, self.gsa)
        self.w2 = fake_quantized(weights.draw(cfg.experts, cfg.expert_dim, cfg.hidden, device=device), quantizer, self.gsa)
        self.register_buffer("_scale_a_buf", scale_buffer(slots, max(cfg.hidden, cfg.expert_dim) // BLOCK, device))
        self.register_buffer("l1_gsa_buf", torch.zeros(slots, device=device))
        self.register_buffer("_l1_buf", torch.zeros(slots, 1, 2 * cfg.expert_dim, device=device))
        self.register_buffer("_l2_buf", torch.zeros(slots, 1, cfg.hidden, device=device))
        self.register_buffer("_tokens_per_expert_buf", torch.zeros(cfg.experts, dtype=torch.int64, device=device))
        self.register_buffer("_ones_buf", torch.ones(slots, dtype=torch.int64, device=device))
        self.register_buffer("_slots", torch.arange(slots, device=device))

    def forward(self, x: torch.Tensor, weights: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
        flat = ids.flatten()
        ends = self.expert_offsets(flat)
        order = flat.argsort(stable=True)
        self.l1_gsa_buf.fill_(self.l1_gs)
        y = self.multiply(x[order // self.top_k], self.w1, ends, self._l1_buf)
        gate, up = y.chunk(2, dim=-1)
        y = self.multiply(torch.nn.functional.silu(gate) * up, self.w2, ends, self._l2_buf)
        back = y[order.argsort()].view(-1, self.top_k, x.shape[-1])
        return torch.einsum("bk,bkd->bd", weights, back)

    def expert_offsets(self, flat: torch.Tensor) -> torch.Tensor:
        """The row behind each expert's rows, from counts that never leave the device."""
        self._tokens_per_expert_buf.zero_()
        self._tokens_per_expert_buf.scatter_add_(0, flat, self._ones_buf)
        return self._tokens_per_expert_buf.cumsum(0)

    def multiply(self, rows: torch.Tensor, weight: torch.Tensor, ends: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        q, scale = self.quantizer(rows, self.gsa)
        scales = assemble_scales(scale, self._scale_a_buf)
        return kernels.grouped_gemm(q, scales, self.l1_gsa_buf, weight, ends, self._slots, out).squeeze(1)

    def reference(self, x: torch.Tensor, weights: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
        """Expert by expert in the order of the slots; no sorting, no counts."""
        def multiply(rows: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
            q, scale = self.quantizer(rows, self.gsa)
            a = (q.unflatten(-1, (-1, BLOCK)) * scale.float().unsqueeze(-1)).flatten(-2) * self.gsa
            return torch.bmm(a.unsqueeze(1), weight[ids.flatten().long()]).squeeze(1)

        rows = x.repeat_interleave(self.top_k, dim=0)
        gate, up = multiply(rows, self.w1).chunk(2, dim=-1)
        y = multiply(torch.nn.functional.silu(gate) * up, self.w2)
        return torch.einsum("bk,bkd->bd", weights, y.view(-1, self.top_k, x.shape[-1]))
