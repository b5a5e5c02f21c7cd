"""The routed experts: six for a token, all of them in two grouped launches that are the same whatever the router chose."""
import torch

from . import kernels
from .config import Config
from .linear import Quantized, calibration, plain
from .quantize import BLOCK, E4M3_MAX, Quantizer, fake_quantized
from .scales import assemble_scales, scale_buffer
from .weights import Weights


class MoE(torch.nn.Module):
    def __init__(self, cfg: Config, quantizer: Quantizer, weights: Weights, device: torch.device):
        super().__init__()
        self.quantizer, self.top_k, self.experts = quantizer, cfg.top_k, cfg.experts
        slots = cfg.batch * cfg.top_k
        self.l1_gs = 16.0 / E4M3_MAX
        self.gsa = torch.full((1,), self.l1_gs, device=device)
        gs = calibration(4.0, device)[:1]
        self.w1 = fake_quantized(weights.draw(cfg.experts, cfg.hidden, 2 * cfg.expert_dim, device=device), quantizer, gs)
        self.w2 = fake_quantized(weights.draw(cfg.experts, cfg.expert_dim, cfg.hidden, device=device), quantizer, gs)
        self.register_buffer("_scale_a_buf", scale_buffer(slots, max(cfg.hidden, cfg.expert_dim) // BLOCK, device))
        self.register_buffer("l1_gsa_buf", torch.zeros(slots, device=device))
        self.register_buffer("_l1_buf", torch.zeros(slots, 1, 2 * cfg.expert_dim, device=device))
        self.register_buffer("_l2_buf", torch.zeros(slots, 1, cfg.hidden, device=device))
        self.register_buffer("_tokens_per_expert_buf", torch.zeros(cfg.experts, dtype=torch.int64, device=device))
        self.register_buffer("_ones_buf", torch.ones(slots, dtype=torch.int64, device=device))
        self.register_buffer("_slots", torch.arange(slots, device=device))
        self.register_buffer("_inverse_buf", torch.zeros(slots, dtype=torch.int64, device=device))

    def forward(self, a: Quantized, weights: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
        """a is the quantized input [batch, hidden]; weights and ids [batch, top_k] are the router's."""
        flat = ids.flatten()
        ends = self.expert_offsets(flat)
        order = flat.argsort(stable=True)
        token = order // self.top_k
        self.l1_gsa_buf.fill_(self.l1_gs)
        scale = a.scale.view(torch.uint8)[token].view(a.scale.dtype)  # bytes: not every torch gathers 8-bit floats
        y = self.multiply(a.q[token], scale, self.w1, ends, self._l1_buf)
        gate, up = y.chunk(2, dim=-1)
        q, scale = self.quantizer(torch.nn.functional.silu(gate) * up, self.gsa)
        y = self.multiply(q, scale, self.w2, ends, self._l2_buf)
        back = y[self._inverse_buf.scatter_(0, order, self._slots)].view(*ids.shape, -1)
        return torch.bmm(weights.unsqueeze(1), back).squeeze(1)

    def expert_offsets(self, flat: torch.Tensor) -> torch.Tensor:
        """The row behind each expert's rows, from counts that never leave the device."""
        self._tokens_per_expert_buf.zero_()
        self._tokens_per_expert_buf.scatter_add_(0, flat, self._ones_buf)
        return self._tokens_per_expert_buf.cumsum(0)

    def multiply(self, q: torch.Tensor, scale: torch.Tensor, weight: torch.Tensor, ends: torch.Tensor,
                 out: torch.Tensor) -> torch.Tensor:
        scales = assemble_scales(scale, self._scale_a_buf)
        return kernels.grouped_gemm(q, scales, self.l1_gsa_buf, weight, ends, self._slots, out)

    def reference(self, a: Quantized, weights: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
        """Expert by expert in the order of the slots; no sorting, no counts."""
        expert = ids.flatten().long()
        rows = plain(a).repeat_interleave(self.top_k, dim=0)
        gate, up = torch.bmm(rows.unsqueeze(1), self.w1[expert]).squeeze(1).chunk(2, dim=-1)
        q, scale = self.quantizer(torch.nn.functional.silu(gate) * up, self.gsa)
        y = torch.bmm(plain(Quantized(q, scale, scale, self.gsa)).unsqueeze(1), self.w2[expert])
        return torch.bmm(weights.unsqueeze(1), y.view(*ids.shape, -1)).squeeze(1)
