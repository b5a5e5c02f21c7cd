"""The start of the step: tokens to the device, embedding, the streams."""
import torch

from .config import Config
from .mhc import InitState
from .tokens import TokenTransfer
from .weights import Weights


class Embed(torch.nn.Module):
    def __init__(self, cfg: Config, weights: Weights, device: torch.device):
        super().__init__()
        self.tokens = TokenTransfer(cfg, device)
        self.table = weights.draw(cfg.vocab, cfg.hidden, device=device, gain=cfg.vocab ** 0.5)
        self.start = InitState(cfg, device)
        self.register_buffer("dec_X_buf", torch.zeros(cfg.batch, cfg.hidden, device=device))

    def forward(self) -> tuple[torch.Tensor, torch.Tensor]:
        """The streams [batch, streams, hidden] and the position [1] that the step works at."""
        tokens, position = self.tokens.upload()
        torch.index_select(self.table, 0, tokens, out=self.dec_X_buf)
        return self.start.init_state(self.dec_X_buf), position
