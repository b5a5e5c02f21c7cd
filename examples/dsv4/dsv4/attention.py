"""Attention of one query per sequence over keys that are values, and the projections around it."""
import torch

from .config import Config
from .grouped_linear import GroupedLinear
from .linear import Linear
from .norm import RMSNorm
from .quantize import Quantizer
from .rope import Rope
from .weights import Weights


def attention(q: torch.Tensor, kv: torch.Tensor, valid: torch.Tensor) -> torch.Tensor:
    """q [batch, heads, dim] over kv [batch, n, dim], where valid [batch or 1, n]."""
    scores = torch.einsum("bhd,bnd->bhn", q, kv) * q.shape[-1] ** -0.5
    probs = scores.masked_fill(~valid.unsqueeze(1), -torch.inf).softmax(dim=-1)
    return torch.einsum("bhn,bnd->bhd", probs, kv)


class Projections(torch.nn.Module):
    """What is captured around attention: queries, keys and the indexer's query before it, the output projection after."""

    def __init__(self, cfg: Config, quantizer: Quantizer, rope: Rope, weights: Weights, device: torch.device):
        super().__init__()
        self.heads, self.rope = cfg.heads, rope
        self.q_proj = Linear(cfg.hidden, cfg.query_dim, cfg, quantizer, weights, device)
        self.kv_proj = Linear(cfg.hidden, cfg.head_dim, cfg, quantizer, weights, device)
        self.kv_norm = RMSNorm(cfg.head_dim, weights, device)
        self.index_q = weights.draw(cfg.hidden, cfg.index_dim, device=device)
        self.o_proj = GroupedLinear(cfg.query_dim // cfg.out_groups, cfg.hidden // cfg.out_groups, cfg.out_groups, cfg,
                                    quantizer, weights, device)

    def forward(self, x: torch.Tensor, position: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        q = self.q_proj(x).unflatten(-1, (self.heads, -1))
        kv = self.kv_norm(self.kv_proj(x))
        return self.rope.rotate(q, position), self.rope.rotate(kv, position), x @ self.index_q
