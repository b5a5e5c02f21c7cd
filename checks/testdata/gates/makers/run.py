import torch
from batch import Batch, Counts, on


class Runner:
    def execute_model(self, batch: Batch):
        a = batch.ids.max().item()  # gates
        b = batch.embed.sum().item()
        c = batch.lens.max().item()  # possible: one of the two makers has it on the host
        on().max().item()  # gates
        return a, b, c

    def _execute(self, counts: Counts):
        counts.device.max().item()  # gates
        counts.mirror.max().item()


class Masks(torch.nn.Module):
    def forward(self, x: torch.Tensor, key):
        cached = getattr(self, "_mask", None)
        if cached is not None and cached[0] == key:
            return cached[1]
        n = x.max().item()  # possible: once for each key
        self._mask = (key, n)
        return n
