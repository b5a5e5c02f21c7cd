"""Draws that repeat."""
import flashinfer
import torch
from flashinfer.sampling import top_k_top_p_sampling_from_logits


class Sampler(torch.nn.Module):
    def forward(self, probs: torch.Tensor, k: torch.Tensor, p: torch.Tensor):
        a = flashinfer.sampling.top_p_sampling_from_probs(probs, p)  # want "draw the same numbers"
        b = top_k_top_p_sampling_from_logits(probs, k, p, deterministic=True)  # want "draw the same numbers"
        return a, b
