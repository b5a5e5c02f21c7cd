"""The decode step: normalise, route, run the experts, pick the next token."""

import torch

from moe.router import Router


class Experts(torch.nn.Module):
    def __init__(self, hidden: int, experts: int):
        super().__init__()
        self.up = torch.nn.Parameter(torch.empty(experts, hidden, 2 * hidden, device="cuda"))
        self.down = torch.nn.Parameter(torch.empty(experts, 2 * hidden, hidden, device="cuda"))

    def forward(self, x: torch.Tensor, weights: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
        up = self.up[chosen]
        down = self.down[chosen]
        inner = torch.nn.functional.silu(torch.einsum("th,tkhf->tkf", x, up))
        return torch.einsum("tkf,tkfh,tk->th", inner, down, weights)


class Decoder(torch.nn.Module):
    def __init__(self, vocab: int, hidden: int, experts: int, top_k: int):
        super().__init__()
        self.norm = torch.nn.RMSNorm(hidden)
        self.router = Router(hidden, experts, top_k)
        self.moe = Experts(hidden, experts)
        self.head = torch.nn.Linear(hidden, vocab, bias=False)
        self.register_buffer("tokens", torch.zeros(64, dtype=torch.int64, device="cuda"))

    def decode_step(self, x: torch.Tensor, step: int) -> torch.Tensor:
        y = self.norm(x)
        weights, chosen = self.router(y)
        y = x + self.moe(y, weights, chosen)
        return self.sample(self.head(y), step)

    def sample(self, logits: torch.Tensor, step: int) -> torch.Tensor:
        if step == 0:
            logits = logits * 0.5
        self.tokens.copy_(logits.argmax(dim=-1))
        return self.tokens
