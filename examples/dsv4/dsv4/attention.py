"""Attention of one query per sequence over keys that are values, and the projections around it."""
import torch

from .config import Config
from .grouped_linear import GroupedLinear
from .linear import Linear, Quantize
from .norm import RMSNorm
from .quantize import Quantizer
from .rope import rotate
from .weights import Weights


def attention(q: torch.Tensor, kv: torch.Tensor, masked: torch.Tensor) -> torch.Tensor:
    """q [batch, heads, dim] over kv [batch, n, dim], without what is masked [batch or 1, 1, n]."""
    scores = torch.bmm(q, kv.transpose(1, 2)) * q.shape[-1] ** -0.5
    return torch.bmm(torch.softmax(scores.masked_fill_(masked, -torch.inf), 2), kv)


class Projections(torch.nn.Module):
    """What is captured around attention: queries, keys and the indexer's query before it, the output projection after."""

    def __init__(self, cfg: Config, quantizer: Quantizer, weights: Weights, device: torch.device):
        super().__init__()
        self.heads = cfg.heads
        self.quantize = Quantize(cfg.hidden, cfg, quantizer, device)
        self.q_proj = Linear(cfg.hidden, cfg.query_dim, cfg, quantizer, weights, device)
        self.kv_proj = Linear(cfg.hidden, cfg.head_dim, cfg, quantizer, weights, device)
        self.kv_norm = RMSNorm(cfg.head_dim, weights, device)
        self.index_q = weights.draw(cfg.hidden, cfg.index_dim, device=device)
        self.o_proj = GroupedLinear(cfg.query_dim // cfg.out_groups, cfg.hidden // cfg.out_groups, cfg.out_groups, cfg,
                                    quantizer, weights, device)

    def forward(self, x: torch.Tensor, turn: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        a = self.quantize(x)
        q = self.q_proj(a).view(x.shape[0], self.heads, -1)
        kv = self.kv_norm(self.kv_proj(a))
        return rotate(q, turn), rotate(kv, turn), x @ self.index_q
