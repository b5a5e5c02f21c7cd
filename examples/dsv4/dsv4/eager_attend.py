"""Phase 1's break in the graphs: compressor, indexer, gather of the KV that grows with each step, attention, inverse RoPE.
All of it may branch on the step, which the host knows, and have another shape in every step."""
import torch

from .attention import attention
from .compressor import HostCompressor
from .config import Config
from .indexer import Indexer
from .rope import Rope
from .weights import Weights


class EagerAttend(torch.nn.Module):
    def __init__(self, cfg: Config, every: int, rope: Rope, weights: Weights, device: torch.device):
        super().__init__()
        self.rope, self.window = rope, cfg.window
        self.compressor = HostCompressor(cfg, every, weights, device)
        self.indexer = Indexer(cfg) if self.compressor.capacity > cfg.index_top_k else None
        self.register_buffer("cache", torch.zeros(cfg.batch, cfg.max_steps, cfg.head_dim, device=device))
        self.register_buffer("seen", torch.ones(cfg.batch, cfg.window, dtype=torch.bool, device=device))
        self.register_buffer("out_buf", torch.zeros(cfg.batch, cfg.query_dim, device=device))

    def attend(self, q: torch.Tensor, kv: torch.Tensor, index_q: torch.Tensor, position: torch.Tensor, step: int) -> torch.Tensor:
        self.cache[:, step] = kv
        self.compressor.update(kv, step)
        keys, valid = self.gather(index_q, step)
        out = self.rope.rotate_back(attention(q, keys, valid), position)
        self.out_buf.copy_(out.flatten(1))
        return self.out_buf

    def gather(self, index_q: torch.Tensor, step: int) -> tuple[torch.Tensor, torch.Tensor]:
        """The chosen compressed entries and the newest tokens: more of them with each step, until the window is full."""
        entries, valid = self.compressor.entries[:, :-1], self.compressor.valid(step)
        if self.indexer is not None:
            entries, valid = self.indexer(index_q, entries, valid)
        else:
            valid = valid.expand(entries.shape[0], -1)
        newest = self.cache[:, max(0, step + 1 - self.window): step + 1]
        return torch.cat([entries, newest], dim=1), torch.cat([valid, self.seen[:, : newest.shape[1]]], dim=1)
