"""Draws that move on."""
import flashinfer
import torch


def top_p_sampling_from_probs(probs, p):
    return probs


class Sampler(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seed = torch.zeros(1, dtype=torch.int64, device="cuda")

    def forward(self, probs: torch.Tensor, p: torch.Tensor):
        a = flashinfer.sampling.top_p_sampling_from_probs(probs, p, seed=self.seed, offset=self.seed)
        b = flashinfer.sampling.top_p_renorm_probs(probs, p)
        c = torch.multinomial(probs, 1)
        d = top_p_sampling_from_probs(probs, p)  # of the project
        return a, b, c, d
