"""Chooses the experts of each token and counts how busy each expert is."""

import torch


class Router(torch.nn.Module):
    def __init__(self, hidden: int, experts: int, top_k: int):
        super().__init__()
        self.gate = torch.nn.Linear(hidden, experts, bias=False)
        self.experts = experts
        self.top_k = top_k
        self.register_buffer("load", torch.zeros(experts, device="cuda"))
        self.register_buffer("ones", torch.ones(64 * top_k, device="cuda"))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        scores = self.gate(x).softmax(dim=-1)
        weights, chosen = scores.topk(self.top_k, dim=-1)
        self.count(chosen)
        return weights, chosen

    def count(self, chosen: torch.Tensor) -> None:
        flat = chosen.flatten()
        self.load.zero_()
        self.load.scatter_add_(0, flat, self.ones[: flat.shape[0]])
