"""The end of the step: the streams become one, norm, logits, the next token."""
import torch

from .config import Config
from .norm import RMSNorm
from .sampler import Sampler
from .weights import Weights


class Head(torch.nn.Module):
    def __init__(self, cfg: Config, weights: Weights, device: torch.device):
        super().__init__()
        self.hc_head = weights.draw(cfg.streams * cfg.hidden, cfg.streams, device=device)
        self.norm = RMSNorm(cfg.hidden, weights, device)
        self.lm_head = weights.draw(cfg.hidden, cfg.vocab, device=device, gain=2.0)
        self.sampler = Sampler(cfg, device)

    def forward(self, X: torch.Tensor, position: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        flat = torch.nn.functional.rms_norm(X.flatten(1), (X.shape[1] * X.shape[2],))
        x = torch.bmm((flat @ self.hc_head).sigmoid().unsqueeze(1), X).squeeze(1)
        logits = self.norm(x) @ self.lm_head
        return logits, self.sampler(logits, position)
