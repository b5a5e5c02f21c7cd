"""One layer: what is captured before attention, attention, what is captured after it."""
from typing import Any

import torch

from .attention import Projections
from .config import Config
from .linear import Quantize
from .mhc import MHC
from .moe import MoE
from .norm import RMSNorm
from .quantize import Quantizer
from .router import Router
from .shared_expert import SharedExpert
from .weights import Weights


class Layer(torch.nn.Module):
    def __init__(self, cfg: Config, attend: torch.nn.Module, quantizer: Quantizer, weights: Weights, device: torch.device):
        super().__init__()
        self.attn_mhc = MHC(cfg, weights, device)
        self.attn_norm = RMSNorm(cfg.hidden, weights, device)
        self.projections = Projections(cfg, quantizer, weights, device)
        self.attention = attend
        self.ffn_mhc = MHC(cfg, weights, device)
        self.ffn_norm = RMSNorm(cfg.hidden, weights, device)
        self.ffn_quantize = Quantize(cfg.hidden, cfg, quantizer, device)
        self.router = Router(cfg, weights, device)
        self.moe = MoE(cfg, quantizer, weights, device)
        self.shared_expert = SharedExpert(cfg, quantizer, weights, device)

    def forward(self, X: torch.Tensor, turn: torch.Tensor, back: torch.Tensor, plan: Any) -> torch.Tensor:
        """X [batch, streams, hidden]; turn and back are the rotation of the step's position and its inverse, and plan is what
        attention has to know of the step."""
        q, kv, index_q, post, res = self.pre(X, turn)
        return self.post(X, self.attention.attend(q, kv, index_q, back, plan), post, res)

    def pre(self, X: torch.Tensor, turn: torch.Tensor) -> tuple[torch.Tensor, ...]:
        x, post, res = self.attn_mhc.pre_block(X)
        q, kv, index_q = self.projections(self.attn_norm(x), turn)
        return q, kv, index_q, post, res

    def post(self, X: torch.Tensor, attended: torch.Tensor, post: torch.Tensor, res: torch.Tensor) -> torch.Tensor:
        X = self.attn_mhc.post_block(X, self.projections.o_proj(attended), post, res)
        x, post, res = self.ffn_mhc.pre_block(X)
        x = self.ffn_norm(x)
        weights, ids = self.router(x)
        a = self.ffn_quantize(x)
        return self.ffn_mhc.post_block(X, self.moe(a, weights, ids) + self.shared_expert(a), post, res)
