"""How tokens and positions get to the device: written on the host into pinned buffers, copied by the graph."""
import torch

from .config import Config


class TokenTransfer(torch.nn.Module):
    def __init__(self, cfg: Config, device: torch.device):
        super().__init__()
        pin = device.type == "cuda"
        self.dec_tid_pinned = torch.zeros(cfg.batch, dtype=torch.int64, pin_memory=pin)
        self.dec_pos_pinned = torch.zeros(1, dtype=torch.int64, pin_memory=pin)
        self.register_buffer("dec_tid_buf", torch.zeros(cfg.batch, dtype=torch.int64, device=device))
        self.register_buffer("dec_pos_buf", torch.zeros(1, dtype=torch.int64, device=device))

    def stage(self, tokens: list[int], step: int) -> None:
        """On the host, before the step and outside of any graph."""
        self.dec_tid_pinned.copy_(torch.tensor(tokens))
        self.dec_pos_pinned.fill_(step)

    def upload(self) -> tuple[torch.Tensor, torch.Tensor]:
        self.dec_tid_buf.copy_(self.dec_tid_pinned, non_blocking=True)
        self.dec_pos_buf.copy_(self.dec_pos_pinned, non_blocking=True)
        return self.dec_tid_buf, self.dec_pos_buf
