"""Chooses the next token on the device. The noise of every step is drawn once, so that a step can be taken again."""
import torch

from .config import Config


class Sampler(torch.nn.Module):
    def __init__(self, cfg: Config, device: torch.device):
        super().__init__()
        generator = torch.Generator().manual_seed(cfg.seed + 1)
        uniform = torch.rand(cfg.max_steps, cfg.vocab, generator=generator).clamp(min=1e-9)
        self.register_buffer("noise", (-(-uniform.log()).log()).to(device))
        self.register_buffer("sampled", torch.zeros(cfg.batch, dtype=torch.int64, device=device))

    def forward(self, logits: torch.Tensor, position: torch.Tensor, temperature: float = 0.7) -> torch.Tensor:
        noise = self.noise.index_select(0, position)
        self.sampled.copy_((logits / temperature + noise).argmax(dim=-1))
        return self.sampled
