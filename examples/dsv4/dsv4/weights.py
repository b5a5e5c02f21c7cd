"""Random weights that are the same on every machine: drawn on the host from one seed, then moved."""
import torch


class Weights:
    def __init__(self, seed: int):
        self.generator = torch.Generator().manual_seed(seed)

    def draw(self, *shape: int, device: torch.device, gain: float = 1.0) -> torch.nn.Parameter:
        """A matrix [in, out] (or a stack of them) whose products keep the size of their input, about."""
        w = torch.randn(*shape, generator=self.generator) * (gain / shape[-2] ** 0.5 if len(shape) > 1 else gain)
        return torch.nn.Parameter(w.to(device), requires_grad=False)
