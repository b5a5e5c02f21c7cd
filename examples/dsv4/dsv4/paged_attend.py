"""Phase 2's attention: the KV cache lies in pages that a block table finds, the compressor runs on the device, and every
step of a bucket has the same shapes. Nothing here knows the step; the position is a tensor."""
import torch

from .attention import attention
from .compressor import DeviceCompressor
from .config import Config
from .indexer import Indexer
from .rope import Rope
from .weights import Weights


def bucket(cfg: Config, step: int) -> int:
    """Pages that attention reads in a step: 2, 4 or as many as the window can touch. The host knows it, and there is one
    graph for each."""
    widest = cfg.window // cfg.page + 1
    need = min(step // cfg.page + 1, widest)
    return next((n for n in (2, 4) if need <= n <= widest), widest)


class PagedAttend(torch.nn.Module):
    def __init__(self, cfg: Config, every: int, rope: Rope, weights: Weights, device: torch.device):
        super().__init__()
        self.rope, self.window, self.page = rope, cfg.window, cfg.page
        self.compressor = DeviceCompressor(cfg, every, weights, device)
        self.indexer = Indexer(cfg) if self.compressor.capacity > cfg.index_top_k else None
        pages = cfg.max_steps // cfg.page
        self.register_buffer("pool", torch.zeros(cfg.batch * pages, cfg.page, cfg.head_dim, device=device))
        # Sequence b has every batch-th page of the pool: neighbours in a sequence are none in memory.
        table = torch.arange(cfg.batch * pages, device=device).view(pages, cfg.batch).t()
        self.register_buffer("block_table", table.contiguous())
        self.register_buffer("page_range", torch.arange(cfg.window // cfg.page + 1, device=device))
        self.register_buffer("in_page", torch.arange(cfg.page, device=device))

    def attend(self, q: torch.Tensor, kv: torch.Tensor, index_q: torch.Tensor, position: torch.Tensor, pages: int) -> torch.Tensor:
        self.store(kv, position)
        self.compressor.update(kv, position)
        entries, known = self.compressor.entries[:, :-1], self.compressor.valid(position)
        if self.indexer is not None:
            entries, known = self.indexer(index_q, entries, known)
        else:
            known = known.expand(entries.shape[0], -1)
        newest, seen = self.newest(position, pages)
        keys = torch.cat([entries, newest], dim=1)
        valid = torch.cat([known, seen.expand(entries.shape[0], -1)], dim=1)
        return self.rope.rotate_back(attention(q, keys, valid), position).flatten(1)

    def store(self, kv: torch.Tensor, position: torch.Tensor) -> None:
        page = self.block_table.index_select(1, position // self.page).squeeze(1)
        slot = page * self.page + position % self.page
        self.pool.flatten(0, 1).index_copy_(0, slot, kv)

    def newest(self, position: torch.Tensor, pages: int) -> tuple[torch.Tensor, torch.Tensor]:
        """The last pages of each sequence [batch, pages * page, dim], and which of their tokens are in the window."""
        last = (position // self.page - (pages - 1)).clamp(min=0)
        logical = last + self.page_range[:pages]
        physical = self.block_table.index_select(1, logical)
        tokens = (logical.unsqueeze(1) * self.page + self.in_page).flatten()
        valid = (tokens <= position) & (tokens > position - self.window)
        return self.pool[physical].flatten(1, 2), valid
