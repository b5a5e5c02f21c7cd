"""Hyper-connections (mHC): several residual streams, mixed by a doubly stochastic matrix before and after each block."""
import torch

from .config import Config
from .weights import Weights


def sinkhorn(logits: torch.Tensor, iterations: int) -> torch.Tensor:
    """Rows and columns are normalised in turn, in the log domain. The number of turns is fixed: asking whether it has
    converged would make the host wait for the device."""
    for _ in range(iterations):
        logits = torch.log_softmax(torch.log_softmax(logits, 2), 1)
    return logits.exp()


class MHC(torch.nn.Module):
    """The connections of one block: pre_block gives the block's input, post_block takes its output."""

    def __init__(self, cfg: Config, weights: Weights, device: torch.device):
        super().__init__()
        self.streams, self.iterations = cfg.streams, cfg.sinkhorn_iterations
        n = cfg.streams
        self.mix = weights.draw(n * cfg.hidden, n + n + n * n, device=device, gain=0.5)
        self.base = weights.draw(n + n + n * n, device=device, gain=0.5)

    def pre_block(self, X: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """X [batch, streams, hidden] to the block's input [batch, hidden], and how its output is to be added."""
        n = self.streams
        flat = torch.nn.functional.rms_norm(X.flatten(1), (n * X.shape[-1],))
        mix = torch.addmm(self.base, flat, self.mix)
        gates = mix[:, : 2 * n].sigmoid()
        x = torch.bmm(gates[:, None, :n], X).squeeze(1)
        return x, gates[:, n:], sinkhorn(mix[:, 2 * n:].view(-1, n, n), self.iterations)

    def post_block(self, X: torch.Tensor, y: torch.Tensor, post: torch.Tensor, res: torch.Tensor) -> torch.Tensor:
        X_next = torch.baddbmm(post.unsqueeze(2) * y.unsqueeze(1), res, X, beta=2)
        return X_next


class InitState(torch.nn.Module):
    """The streams before the first layer: the embedding in each, written in place."""

    def __init__(self, cfg: Config, device: torch.device):
        super().__init__()
        self.register_buffer("out_buf", torch.zeros(cfg.batch, cfg.streams, cfg.hidden, device=device))

    def init_state(self, x: torch.Tensor) -> torch.Tensor:
        self.out_buf.copy_(x.unsqueeze(1))
        return self.out_buf
