"""Rotary positions: the turns of every position in a table, read on the device by a position that lives there."""
import torch

from .config import Config


class Rope(torch.nn.Module):
    def __init__(self, cfg: Config, device: torch.device):
        super().__init__()
        half = cfg.rope_dim // 2
        freq = 10000.0 ** (-torch.arange(half, device=device) / half)
        angle = torch.outer(torch.arange(cfg.max_steps, device=device).float(), freq)
        self.register_buffer("turns", torch.polar(torch.ones_like(angle), angle))
        self.register_buffer("back_turns", torch.polar(torch.ones_like(angle), -angle))

    def at(self, position: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The turn of a position [1] and its inverse, once for all layers."""
        return self.turns.index_select(0, position), self.back_turns.index_select(0, position)


def rotate(x: torch.Tensor, turn: torch.Tensor) -> torch.Tensor:
    """Turns the last dimensions of x [..., dim] in place. With the inverse it takes a turn back: keys are values here, so
    that what attention sums up is turned."""
    half = turn.shape[-1]
    torch.view_as_complex(x[..., -2 * half:].unflatten(-1, (half, 2))).mul_(turn)
    return x
