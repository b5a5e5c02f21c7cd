"""Chooses the experts of each token. All of it stays on the device, in buffers that are made once."""
import torch

from .config import Config
from .weights import Weights


class Router(torch.nn.Module):
    def __init__(self, cfg: Config, weights: Weights, device: torch.device):
        super().__init__()
        self.top_k = cfg.top_k
        self.gate = weights.draw(cfg.hidden, cfg.experts, device=device)
        self.bias = weights.draw(cfg.experts, device=device, gain=0.1)
        self.register_buffer("weights_buf", torch.zeros(cfg.batch, cfg.top_k, device=device))
        self.register_buffer("ids_buf", torch.zeros(cfg.batch, cfg.top_k, dtype=torch.int64, device=device))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        scores = torch.nn.functional.softplus(x @ self.gate).sqrt()
        chosen = (scores + self.bias).topk(self.top_k, dim=-1).indices
        self.ids_buf.copy_(chosen)
        picked = scores.gather(1, chosen)
        torch.div(picked, picked.sum(dim=-1, keepdim=True), out=self.weights_buf)
        return self.weights_buf, self.ids_buf
