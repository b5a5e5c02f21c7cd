"""Phase 2's attention: the KV cache lies in pages that a block table finds, the compressor runs on the device, and every
step of a bucket has the same shapes. Nothing here knows the step; the position is a tensor."""
from typing import NamedTuple

import torch

from .attention import attention
from .compressor import DeviceCompressor
from .config import Config
from .indexer import Indexer
from .rope import rotate
from .weights import Weights


def bucket(cfg: Config, step: int) -> int:
    """Pages that attention reads in a step: 2, 4 or as many as the window can touch. The host knows it, and there is one
    graph for each."""
    widest = cfg.window // cfg.page + 1
    need = min(step // cfg.page + 1, widest)
    return next((n for n in (2, 4) if need <= n <= widest), widest)


class Plan(NamedTuple):
    """Where a step reads and writes, found on the device once for all layers."""
    slot: torch.Tensor        # [batch] places of the new token in the pool
    physical: torch.Tensor    # [batch, pages] newest pages of each sequence
    masked: torch.Tensor      # [1, 1, pages * page] tokens of them that are outside the window
    compressors: dict[int, tuple[torch.Tensor, torch.Tensor, torch.Tensor]]  # by kind: DeviceCompressor.places


class PagePlan(torch.nn.Module):
    def __init__(self, cfg: Config, device: torch.device):
        super().__init__()
        self.window, self.page = cfg.window, cfg.page
        pages = cfg.max_steps // cfg.page
        # Sequence b has every batch-th page of the pool: neighbours in a sequence are none in memory.
        table = torch.arange(cfg.batch * pages, device=device).view(pages, cfg.batch).t()
        self.register_buffer("block_table", table.contiguous())
        self.register_buffer("page_range", torch.arange(cfg.window // cfg.page + 1, device=device))
        self.register_buffer("in_page", torch.arange(cfg.page, device=device))
        self.kinds = [DeviceCompressor(cfg, every, Weights(cfg.seed), device) for every in (cfg.csa_every, cfg.hca_every)]

    def forward(self, position: torch.Tensor, pages: int) -> Plan:
        """position [1]; pages is the bucket."""
        page = self.block_table.index_select(1, position // self.page).squeeze(1)
        logical = (position // self.page - (pages - 1)).clamp(min=0) + self.page_range[:pages]
        tokens = (logical.unsqueeze(1) * self.page + self.in_page).flatten()
        outside = (tokens > position) | (tokens <= position - self.window)
        return Plan(page * self.page + position % self.page, self.block_table.index_select(1, logical), outside.view(1, 1, -1),
                    {kind.every: kind.places(position) for kind in self.kinds})


class PagedAttend(torch.nn.Module):
    plan = PagePlan

    def __init__(self, cfg: Config, every: int, weights: Weights, device: torch.device):
        super().__init__()
        self.compressor = DeviceCompressor(cfg, every, weights, device)
        self.indexer = Indexer(cfg) if self.compressor.capacity > cfg.index_top_k else None
        pages = cfg.max_steps // cfg.page
        self.register_buffer("pool", torch.zeros(cfg.batch * pages, cfg.page, cfg.head_dim, device=device))

    def attend(self, q: torch.Tensor, kv: torch.Tensor, index_q: torch.Tensor, back: torch.Tensor, plan: Plan) -> torch.Tensor:
        recent, slot, masked = plan.compressors[self.compressor.every]
        self.pool.flatten(0, 1).index_copy_(0, plan.slot, kv)
        self.compressor.update(kv, recent, slot)
        entries = self.compressor.all_entries()
        if self.indexer is not None:
            entries, masked = self.indexer(index_q, entries, masked)
        else:
            masked = masked.expand(entries.shape[0], 1, -1)
        keys = torch.cat([entries, self.pool[plan.physical].flatten(1, 2)], 1)
        masked = torch.cat([masked, plan.masked.expand(entries.shape[0], -1, -1)], 2)
        return rotate(attention(q, keys, masked), back).flatten(1)
