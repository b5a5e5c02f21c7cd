"""Chooses the compressed entries that attention looks at: always the same number of them, so that nobody has to count."""
import torch

from .config import Config


class Indexer(torch.nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.top_k, self.dim = cfg.index_top_k, cfg.index_dim

    def forward(self, query: torch.Tensor, entries: torch.Tensor, masked: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """query [batch, index_dim], entries [batch, capacity, dim], masked [capacity] are the entries that are not there yet.
        Gives top_k entries [batch, top_k, dim], and which of them are none [batch, 1, top_k]: with fewer than top_k the
        rest is masked, not left out."""
        scores = torch.bmm(entries[..., : self.dim], query.unsqueeze(2)).squeeze(2)
        chosen = scores.masked_fill_(masked, -torch.inf).topk(self.top_k, dim=-1).indices
        return entries.gather(1, chosen.unsqueeze(2).expand(-1, -1, entries.shape[2])), masked[chosen].unsqueeze(1)
