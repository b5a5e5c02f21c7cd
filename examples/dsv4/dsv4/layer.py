"""One layer: what is captured before attention, attention, what is captured after it."""
import torch

from .attention import Projections
from .config import Config
from .mhc import MHC
from .moe import MoE
from .norm import RMSNorm
from .quantize import Quantizer
from .rope import Rope
from .router import Router
from .shared_expert import SharedExpert
from .weights import Weights


class Layer(torch.nn.Module):
    def __init__(self, cfg: Config, attend: torch.nn.Module, quantizer: Quantizer, rope: Rope, weights: Weights,
                 device: torch.device):
        super().__init__()
        self.attn_mhc = MHC(cfg, weights, device)
        self.attn_norm = RMSNorm(cfg.hidden, weights, device)
        self.projections = Projections(cfg, quantizer, rope, weights, device)
        self.attention = attend
        self.ffn_mhc = MHC(cfg, weights, device)
        self.ffn_norm = RMSNorm(cfg.hidden, weights, device)
        self.router = Router(cfg, weights, device)
        self.moe = MoE(cfg, quantizer, weights, device)
        self.shared_expert = SharedExpert(cfg, quantizer, weights, device)

    def forward(self, X: torch.Tensor, position: torch.Tensor, host: int) -> torch.Tensor:
        """X [batch, streams, hidden]. host is what the host knows: the step in phase 1, the bucket in phase 2."""
        q, kv, index_q, post, res = self.pre(X, position)
        return self.post(X, self.attention.attend(q, kv, index_q, position, host), post, res)

    def pre(self, X: torch.Tensor, position: torch.Tensor) -> tuple[torch.Tensor, ...]:
        x, post, res = self.attn_mhc.pre_block(X)
        q, kv, index_q = self.projections(self.attn_norm(x), position)
        return q, kv, index_q, post, res

    def post(self, X: torch.Tensor, attended: torch.Tensor, post: torch.Tensor, res: torch.Tensor) -> torch.Tensor:
        X = self.attn_mhc.post_block(X, self.projections.o_proj(attended), post, res)
        x, post, res = self.ffn_mhc.pre_block(X)
        x = self.ffn_norm(x)
        weights, ids = self.router(x)
        y = self.moe(x, weights, ids) + self.shared_expert(x)
        return self.ffn_mhc.post_block(X, y, post, res)
