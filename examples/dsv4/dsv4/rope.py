"""Rotary positions: the angles of every position in a table, read on the device by a position that lives there."""
import torch

from .config import Config


class Rope(torch.nn.Module):
    def __init__(self, cfg: Config, device: torch.device):
        super().__init__()
        half = cfg.rope_dim // 2
        freq = 10000.0 ** (-torch.arange(half, device=device) / half)
        angle = torch.outer(torch.arange(cfg.max_steps, device=device).float(), freq)
        self.register_buffer("cos", angle.cos())
        self.register_buffer("sin", angle.sin())

    def rotate(self, x: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        """x [..., dim], its last rope_dim rotated by the angle of position [1]."""
        return self.turned(x, self.cos.index_select(0, position), self.sin.index_select(0, position))

    def rotate_back(self, x: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        """The inverse. Keys are values here, so that what attention sums up is rotated and has to be turned back."""
        return self.turned(x, self.cos.index_select(0, position), -self.sin.index_select(0, position))

    def turned(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        half = self.cos.shape[1]
        plain, a, b = x.split([x.shape[-1] - 2 * half, half, half], dim=-1)
        return torch.cat([plain, a * cos - b * sin, a * sin + b * cos], dim=-1)
