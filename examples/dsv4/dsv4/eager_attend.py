"""Phase 1's break in the graphs: compressor, indexer, gather of the KV that grows with each step, attention, inverse RoPE.
All of it may branch on the step, which the host knows, and have another shape in every step."""
import torch

from .attention import attention
from .compressor import HostCompressor
from .config import Config
from .indexer import Indexer
from .rope import rotate
from .weights import Weights


class StepPlan(torch.nn.Module):
    """What attention has to know of a step: here, its number."""

    def __init__(self, cfg: Config, device: torch.device):
        super().__init__()

    def forward(self, position: torch.Tensor, step: int) -> int:
        return step


class EagerAttend(torch.nn.Module):
    plan = StepPlan

    def __init__(self, cfg: Config, every: int, weights: Weights, device: torch.device):
        super().__init__()
        self.window = cfg.window
        self.compressor = HostCompressor(cfg, every, weights, device)
        self.indexer = Indexer(cfg) if self.compressor.capacity > cfg.index_top_k else None
        self.register_buffer("cache", torch.zeros(cfg.batch, cfg.max_steps, cfg.head_dim, device=device))
        self.register_buffer("none", torch.zeros(cfg.batch, 1, cfg.window, dtype=torch.bool, device=device))
        self.register_buffer("out_buf", torch.zeros(cfg.batch, cfg.query_dim, device=device))

    def attend(self, q: torch.Tensor, kv: torch.Tensor, index_q: torch.Tensor, back: torch.Tensor, step: int) -> torch.Tensor:
        self.cache[:, step] = kv
        self.compressor.update(kv, step)
        keys, masked = self.gather(index_q, step)
        self.out_buf.copy_(rotate(attention(q, keys, masked), back).flatten(1))
        return self.out_buf

    def gather(self, index_q: torch.Tensor, step: int) -> tuple[torch.Tensor, torch.Tensor]:
        """The chosen compressed entries and the newest tokens: more of them with each step, until the window is full."""
        entries, masked = self.compressor.all_entries(), self.compressor.masked(step)
        if self.indexer is not None:
            entries, masked = self.indexer(index_q, entries, masked)
        else:
            masked = masked.expand(entries.shape[0], 1, -1)
        newest = self.cache[:, max(0, step + 1 - self.window): step + 1]
        return torch.cat([entries, newest], 1), torch.cat([masked, self.none[..., : newest.shape[1]]], 2)
