"""Chooses the compressed entries that attention looks at: always the same number of them, so that nobody has to count."""
import torch

from .config import Config


class Indexer(torch.nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.top_k, self.dim = cfg.index_top_k, cfg.index_dim

    def forward(self, query: torch.Tensor, entries: torch.Tensor, valid: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """query [batch, index_dim], entries [batch, capacity, dim], valid [capacity]: top_k entries [batch, top_k, dim] and
        which of them are real [batch, top_k]. With fewer entries than top_k the rest is masked, not left out."""
        scores = torch.einsum("bd,bnd->bn", query, entries[..., : self.dim])
        chosen = scores.masked_fill(~valid, -torch.inf).topk(self.top_k, dim=-1).indices
        rows = chosen.unsqueeze(-1).expand(-1, -1, entries.shape[-1])
        return entries.gather(1, rows), valid[chosen]
