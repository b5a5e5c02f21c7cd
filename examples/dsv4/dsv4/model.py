"""The decode step: embedding, 61 layers on one device or several, head."""
from collections.abc import Sequence

import torch

from .config import Config
from .embed import Embed
from .head import Head
from .layer import Layer
from .quantize import Quantizer
from .rope import Rope
from .weights import Weights


class Stage(torch.nn.Module):
    """The layers of one device, and what they get from the device before it."""

    def __init__(self, cfg: Config, layers: range, attend: type, weights: Weights, device: torch.device):
        super().__init__()
        quantizer = Quantizer(device)
        self.rope = Rope(cfg, device)
        self.plan = attend.plan(cfg, device)
        self.layers = torch.nn.ModuleList(
            Layer(cfg, attend(cfg, cfg.every(n), weights, device), quantizer, weights, device) for n in layers)
        self.register_buffer("X_buf", torch.zeros(cfg.batch, cfg.streams, cfg.hidden, device=device))
        self.register_buffer("pos_buf", torch.zeros(1, dtype=torch.int64, device=device))

    def receive(self, X: torch.Tensor, position: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """From another device: a copy between the devices that no host waits for."""
        self.X_buf.copy_(X, non_blocking=True)
        self.pos_buf.copy_(position, non_blocking=True)
        return self.X_buf, self.pos_buf

    def forward(self, X: torch.Tensor, position: torch.Tensor, host: int) -> torch.Tensor:
        turn, back = self.rope.at(position)
        plan = self.plan(position, host)
        for layer in self.layers:
            X = layer(X, turn, back, plan)
        return X


class DSV4(torch.nn.Module):
    def __init__(self, cfg: Config, attend: type, devices: Sequence[torch.device]):
        """attend is EagerAttend (phase 1) or PagedAttend (phase 2)."""
        super().__init__()
        self.cfg, first = cfg, devices[0]
        weights = Weights(cfg.seed)
        self.embed = Embed(cfg, weights, first)
        per = -(-cfg.layers // len(devices))
        self.stages = torch.nn.ModuleList(
            Stage(cfg, range(n * per, min((n + 1) * per, cfg.layers)), attend, weights, d) for n, d in enumerate(devices))
        self.head = Head(cfg, weights, first)
        self.register_buffer("X_buf", torch.zeros(cfg.batch, cfg.streams, cfg.hidden, device=first))

    def decode_step(self, host: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits [batch, vocab] and the tokens that were sampled [batch]. host is what the host knows of the step: its
        number in phase 1, its bucket in phase 2."""
        X, position = self.embed()
        for n, stage in enumerate(self.stages):
            if n == 0:
                X = stage(X, position, host)
            else:
                X = stage(*stage.receive(X, position), host)
        if len(self.stages) > 1:
            X = self.X_buf.copy_(X, non_blocking=True)
        return self.head(X, position)
