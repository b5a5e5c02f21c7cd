"""Compressors: every 4 (CSA) or 128 (HCA) tokens become one entry that attention can look at long after."""
import torch

from .config import Config
from .weights import Weights


class Compressor(torch.nn.Module):
    """What both compressors do: a learned average of the newest tokens."""

    def __init__(self, cfg: Config, every: int, weights: Weights, device: torch.device):
        super().__init__()
        self.every = every
        self.capacity = cfg.max_steps // every
        self.mix = torch.nn.Parameter(weights.draw(every, cfg.head_dim, device=device, gain=1.0).softmax(dim=0), requires_grad=False)
        self.register_buffer("recent", torch.zeros(cfg.batch, every, cfg.head_dim, device=device))
        # One entry more than fit: where a step that is no boundary writes.
        self.register_buffer("entries", torch.zeros(cfg.batch, self.capacity + 1, cfg.head_dim, device=device))
        self.register_buffer("slots", torch.arange(self.capacity, device=device))

    def compress(self) -> torch.Tensor:
        """The newest tokens as one entry [batch, dim]."""
        return (self.recent * self.mix).sum(dim=1)

    def all_entries(self) -> torch.Tensor:
        return self.entries[:, : self.capacity]


class HostCompressor(Compressor):
    """Phase 1: the host knows the step, and the work is done on the steps that end a group. It runs in the eager section."""

    def update(self, kv: torch.Tensor, step: int) -> None:
        self.recent[:, step % self.every] = kv
        if (step + 1) % self.every == 0:
            self.entries[:, step // self.every] = self.compress()

    def masked(self, step: int) -> torch.Tensor:
        return self.slots >= (step + 1) // self.every


class DeviceCompressor(Compressor):
    """Phase 2: the boundary is found on the device. The entry is computed in every step, with one shape, and written where
    it belongs or, between boundaries, where nobody looks."""

    def places(self, position: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """For a position [1]: where its token goes, where its entry goes, and the entries that are not there yet. Every
        compressor of a kind has the same places: they are found once in a step."""
        boundary = (position + 1) % self.every == 0
        slot = torch.where(boundary, position // self.every, self.capacity)
        return position % self.every, slot, self.slots >= (position + 1) // self.every

    def update(self, kv: torch.Tensor, recent: torch.Tensor, slot: torch.Tensor) -> None:
        self.recent.index_copy_(1, recent, kv.unsqueeze(1))
        self.entries.index_copy_(1, slot, self.compress().unsqueeze(1))
